/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The passes over a text table; see text_table.h. The first pass counts rows and columns, finds
 * text columns, and notes where shards begin. The second pass, only for --one-hot, collects the
 * categories of the text columns.
 */
#include "toc/source/text_scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "toc/shard/dtype.h"

int lod_text_scan_create(enum lod_table_kind kind, const struct lod_text_options *options,
                         struct lod_text_scan **ret_scan)
{
    struct lod_text_scan *scan = calloc(1, sizeof(*scan));

    if (!scan) {
        return -ENOMEM;
    }
    scan->options = *options;
    scan->table.kind = scan->cut.kind = kind;
    scan->cut.columns = 1; /* not known yet; has no meaning for text columns */
    int error = lod_table_cut(&scan->cut, &options->cut);
    if (error) {
        free(scan);
        return error;
    }
    *ret_scan = scan;
    return 0;
}

struct lod_text_scan *lod_text_scan_destroy(struct lod_text_scan *scan)
{
    if (scan) {
        for (uint32_t i = 0; i < scan->table.columns_count; i++) {
            struct lod_text_column *column = &scan->table.columns[i];
            for (uint32_t k = 0; k < column->count; k++) {
                free(column->categories[k]);
            }
            free(column->categories);
            free((char *)(uintptr_t)column->name);
        }
        free(scan->table.columns);
        free(scan->starts.at);
        lod_buf_finish(&scan->table.labels);
        lod_csv_row_finish(&scan->csv);
        lod_libsvm_row_finish(&scan->libsvm);
        free(scan);
    }
    return NULL;
}

const char *lod_text_scan_why(const struct lod_text_scan *scan)
{
    return scan->why;
}

static int fail(struct lod_text_scan *scan, int error, const char *why)
{
    if (error != -ENOMEM) {
        snprintf(scan->why, sizeof(scan->why), "line %" PRIu64 ": %s", scan->line + 1, why);
    }
    return error;
}

/* ------------------------------------------------------------------------------- shards */

static int add_start(struct lod_text_scan *scan)
{
    const struct lod_table_start start = {.row = scan->rows, .byte = scan->byte};

    return LOD_LIST_ADD(&scan->starts, start);
}

/* Adds a row of the table, which begins at scan->byte. */
static int add_row(struct lod_text_scan *scan, uint64_t entries)
{
    struct lod_table_start *last =
        scan->starts.count ? &scan->starts.at[scan->starts.count - 1] : NULL;
    int error = 0;

    if (!last || scan->rows - last->row >= scan->cut.shard_rows ||
        scan->byte - last->byte >= LOD_TEXT_SHARD_BYTES_MAX ||
        last->entries + entries > LOD_TEXT_ENTRIES_MAX) {
        error = add_start(scan);
        last = error ? NULL : &scan->starts.at[scan->starts.count - 1];
    }
    if (!error) {
        last->entries += entries;
        scan->rows++;
    }
    return error;
}

/* ------------------------------------------------------------------------------- libsvm */

static int look_at_line(struct lod_text_scan *scan)
{
    const struct lod_libsvm_row *row = &scan->libsvm;
    uint64_t bits;

    if (row->blank) {
        return 0;
    }
    if (scan->rows == LOD_TEXT_LABELS_MAX) {
        return fail(scan, -E2BIG, "it has more than 2^27 rows");
    }
    if (row->count) {
        const uint32_t last = row->index[row->count - 1];
        scan->table.zero_based = scan->table.zero_based || row->index[0] == 0;
        scan->index_max = last > scan->index_max ? last : scan->index_max;
    }
    memcpy(&bits, &row->label, sizeof(bits));
    int error = lod_buf_append_le(&scan->table.labels, 8, bits);
    return error ? error : add_row(scan, row->count);
}

/* -------------------------------------------------------------------------------- passes */

static int look_at_record(struct lod_text_scan *scan)
{
    bool row = false;
    int error = lod_csv_columns_add(scan, &row);

    return error || !row ? error : add_row(scan, scan->csv.count);
}

static int take_record(struct lod_text_scan *scan, struct lod_span bytes, bool last,
                       size_t *ret_taken)
{
    const char *why = "";
    uint64_t lines = 1;
    int error;

    if (scan->table.kind == LOD_TABLE_CSV) {
        error = lod_csv_take(&scan->csv, scan->table.delimiter, bytes, last, ret_taken, &why);
        lines = scan->csv.lines;
        scan->line += error && error != -EAGAIN ? lines : 0;
    } else {
        error = lod_libsvm_take(&scan->libsvm, bytes, last, ret_taken, &why);
    }
    if (error) {
        return error == -EAGAIN ? error : fail(scan, error, why);
    }
    if (scan->table.kind == LOD_TABLE_LIBSVM) {
        error = look_at_line(scan);
    } else {
        error = scan->csv.count ? look_at_record(scan) : 0;
    }
    scan->line += lines;
    scan->byte += *ret_taken;
    return error;
}

int lod_text_scan_feed(struct lod_text_scan *scan, struct lod_span bytes, bool last,
                       size_t *ret_taken)
{
    size_t done = 0, taken = 0;
    int error = 0;

    if (scan->byte == 0) {
        scan->byte = done = lod_text_mark(bytes.at, bytes.bytes);
    }
    if (!scan->table.delimiter) {
        scan->table.delimiter = lod_csv_delimiter(bytes);
    }
    while (!error && done < bytes.bytes) {
        const struct lod_span rest = {.at = bytes.at + done, .bytes = bytes.bytes - done};
        error = take_record(scan, rest, last, &taken);
        done += error ? 0 : taken;
    }
    *ret_taken = done;
    return error == -EAGAIN ? 0 : error;
}

/* Numbers the table's columns in the order of the file's. */
static int number_columns(struct lod_text_scan *scan)
{
    uint64_t columns = 0;

    for (uint32_t i = 0; i < scan->table.columns_count; i++) {
        struct lod_text_column *column = &scan->table.columns[i];
        column->first = (uint32_t)columns;
        columns += column->text ? column->count : 1;
    }
    if (scan->table.kind == LOD_TABLE_LIBSVM) {
        columns = (uint64_t)scan->index_max + scan->table.zero_based;
    }
    scan->cut.columns = (uint32_t)columns;
    if (scan->rows == 0 || columns == 0) {
        snprintf(scan->why, sizeof(scan->why), "line %" PRIu64 ": it has no %s", scan->line + 1,
                 scan->rows ? "columns" : "rows");
        return -EILSEQ;
    }
    return 0;
}

int lod_text_scan_end(struct lod_text_scan *scan, bool *ret_again)
{
    bool text = false;

    for (uint32_t i = 0; i < scan->table.columns_count; i++) {
        text = text || scan->table.columns[i].text;
    }
    *ret_again = text && !scan->gathering;
    int error = scan->gathering ? 0 : add_start(scan);
    if (*ret_again) {
        scan->gathering = true;
        scan->begun = false;
        scan->byte = scan->line = 0;
        return error;
    }
    return error ? error : number_columns(scan);
}

void lod_text_scan_table(struct lod_text_scan *scan, struct lod_data_table *ret_table)
{
    scan->cut.dtype = LOD_DTYPE_F8;
    scan->cut.rows = scan->rows;
    scan->cut.file_bytes = scan->byte;
    scan->cut.shards = (uint32_t)scan->starts.count - 1;
    scan->cut.text = &scan->table;
    scan->cut.starts = scan->starts.at;
    *ret_table = scan->cut;
}
