/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: the readers of tables; FUZZ_WHAT is npy, csv or libsvm. Any bytes give an
 * error, or a table within its limits whose shards decode to its rows.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toc/shard/dtype.h"
#include "toc/source/npy_read.h"
#include "toc/source/text_table.h"
#include "toc/encode/toc_write.h"

#define TEXT_OF(what)  TEXT_OF_(what)
#define TEXT_OF_(what) #what
#define COLUMNS_MAX    (1u << 16)          /* of tables that are encoded; each takes memory */
#define DENSE_MAX      ((uint64_t)1 << 16) /* elements that are decoded and compared */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void try_npy(struct lod_span file)
{
    const char *why = NULL;
    struct lod_npy npy;
    uint32_t byte = 0;
    int error = lod_npy_parse(file, &npy, &why, &byte);

    if (error) {
        require(why && byte <= file.bytes, "an error has no reason or no place");
        return;
    }
    require(npy.header_bytes == file.bytes, "the header's length is wrong");
    require(lod_dtype_legal(npy.dtype), "the dtype is not supported");
    require(npy.data_bytes <= INT64_MAX, "the data has more than 2^63 bytes");
    require(npy.rows == 0 || npy.columns == 0 ||
                npy.data_bytes / npy.rows / npy.columns == lod_dtype_bytes(npy.dtype),
            "the product of the shape overflows");
}

/* Encodes the rows of a shard, and fails unless they decode to the same values. */
static void try_shard(const struct lod_data_table *table, const struct lod_text_rows *text)
{
    const struct lod_toc_rows rows = {.dtype = table->dtype,
                                      .rows = text->rows,
                                      .columns = table->columns,
                                      .starts = text->starts,
                                      .entry_column = text->column,
                                      .entry_value = text->value};
    const struct lod_toc_options options = {.choice = LOD_TOC_CHOOSE_BEST};
    const uint64_t elements = (uint64_t)rows.rows * rows.columns;
    struct lod_toc_shard shard;
    struct lod_buf bytes = {0};

    require(lod_toc_encode(&rows, &options, &bytes) == 0, "rows cannot be encoded");
    require(lod_toc_open(lod_buf_span(&bytes), &shard) == 0, "a shard cannot be opened");
    require(bytes.bytes <= LOD_SHARD_STORED_MAX, "a shard is too large");
    if (elements <= DENSE_MAX) {
        double *dense = calloc(elements + 1, sizeof(double));
        require(dense && lod_toc_decode(&shard, 0, rows.rows, dense, elements * 8) == 0,
                "a shard cannot be decoded");
        for (uint32_t r = 0; r < rows.rows; r++) {
            for (uint64_t i = text->starts[r]; i < text->starts[r + 1]; i++) {
                const double *at = &dense[(uint64_t)r * rows.columns + text->column[i]];
                require(memcmp(at, &text->value[i], 8) == 0, "a decoded value differs");
            }
        }
        free(dense);
    }
    lod_buf_finish(&bytes);
}

static void try_table(const struct lod_data_table *table, struct lod_span file)
{
    uint64_t rows = 0;

    require(table->columns && table->shards && table->file_bytes == file.bytes,
            "the table has no columns, no shards, or a wrong length");
    for (uint32_t i = 0; i < table->shards; i++) {
        const struct lod_table_start *start = &table->starts[i];
        const struct lod_shard_rows at = lod_table_shard(table, i);
        struct lod_text_rows text = {0};
        require(start->byte <= start[1].byte && start[1].byte <= file.bytes,
                "a shard ends after the file");
        const struct lod_span part = {file.at + start->byte, start[1].byte - start->byte};
        require(at.first == rows && at.rows, "shards are not adjacent");
        require(lod_text_table_rows(table->text, part, at.rows, &text) == 0,
                "the second pass cannot read the rows");
        require(text.rows == at.rows && text.entries <= start->entries,
                "the second pass reads more than the first");
        for (uint64_t e = 0; e < text.entries; e++) {
            require(text.column[e] < table->columns, "a column is outside the table");
        }
        if (table->columns <= COLUMNS_MAX) {
            try_shard(table, &text);
        }
        lod_text_rows_finish(&text);
        rows += at.rows;
    }
    require(rows == table->rows, "the shards do not have all rows");
}

/* Feeds the file once, in steps of `step` bytes, as pack does with its window. */
static int pass(struct lod_text_scan *scan, struct lod_span file, size_t step)
{
    size_t from = 0, to = 0, taken = 0;
    int error = 0;

    while (!error && to < file.bytes) {
        to = to + step < file.bytes ? to + step : file.bytes;
        const struct lod_span window = {file.at + from, to - from};
        error = lod_text_scan_feed(scan, window, to == file.bytes, &taken);
        require(error || taken <= window.bytes, "the scan takes more bytes than it was given");
        from += error ? 0 : taken;
    }
    require(error || from == file.bytes, "the scan leaves the last bytes unread");
    return error;
}

/* The first byte of the input chooses the options. */
static void try_text(enum lod_table_kind kind, struct lod_span file)
{
    const uint8_t how = file.bytes ? file.at[0] : 0;
    const struct lod_text_options options = {.one_hot = how & 1, .cut = {.shard_rows = how & 6}};
    struct lod_text_scan *scan = NULL;
    struct lod_data_table table;
    bool again = true;
    int error = lod_text_scan_create(kind, &options, &scan);

    file.at += file.bytes != 0;
    file.bytes -= file.bytes != 0;
    while (!error && again) {
        error = pass(scan, file, how & 8 ? 3 : 1000);
        error = error ? error : lod_text_scan_end(scan, &again);
    }
    if (error) {
        require(error == -ENOMEM || lod_text_scan_why(scan)[0], "an error has no message");
    } else {
        lod_text_scan_table(scan, &table);
        try_table(&table, file);
    }
    lod_text_scan_destroy(scan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const struct lod_span file = {.at = data, .bytes = bytes};
    const char *what = TEXT_OF(FUZZ_WHAT);

    if (strcmp(what, "npy") == 0) {
        try_npy(file);
    } else {
        try_text(strcmp(what, "csv") == 0 ? LOD_TABLE_CSV : LOD_TABLE_LIBSVM, file);
    }
    return 0;
}
