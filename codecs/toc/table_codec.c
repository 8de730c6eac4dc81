/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder of toc items: tables and their shards. A table consists of its stored header and its
 * rows, which are made from the shards, the items after it, one at a time. A shard is shown as
 * stored. FORMAT.md, Codecs, toc.
 */
#include "codec.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "toc/shard/dtype.h"
#include "toc/product/matrix.h"
#include "toc/source/npy_read.h"
#include "toc/source/table.h"
#include "toc/table_row.h"
#include "toc/shard/toc.h"
#include "toc/shard/toc_format.h"

#define FRAME_SHIFT 20

#define GROUP 1u

/* The allowance for a batch while decoding, besides shard and unit. */
#define WORK_BYTES ((uint64_t)1 << 20)

struct table_row {
    bool shard;
    uint8_t dtype;
    uint64_t bytes; /* size of the .npy file, or of the shard */
    uint64_t rows, first;
    uint32_t columns, shard_rows, header_bytes, shards, unit_rows, number;
    uint64_t row_bytes;
};

static uint8_t frame_shift(uint64_t bytes)
{
    (void)bytes;
    return FRAME_SHIFT;
}

static struct table_row take_row(const uint8_t row[LOD_ROW_BYTES])
{
    struct table_row t = {.shard = (lod_row_flags(row) & LOD_ITEM_SHARD) != 0,
                          .dtype = row[LOD_TABLE_ROW_DTYPE],
                          .bytes = lod_get_le64(row + LOD_TABLE_ROW_BYTES)};

    if (t.shard) {
        t.first = lod_get_le64(row + LOD_SHARD_ROW_FIRST);
        t.rows = lod_get_le32(row + LOD_SHARD_ROW_ROWS);
        t.number = lod_get_le32(row + LOD_SHARD_ROW_NUMBER);
        return t;
    }
    t.rows = lod_get_le64(row + LOD_TABLE_ROW_ROWS);
    t.columns = lod_get_le32(row + LOD_TABLE_ROW_COLUMNS);
    t.shard_rows = lod_get_le32(row + LOD_TABLE_ROW_SHARD_ROWS);
    t.header_bytes = lod_get_le32(row + LOD_TABLE_ROW_HEADER);
    t.shards = lod_get_le32(row + LOD_TABLE_ROW_SHARDS);
    t.unit_rows = lod_get_le32(row + LOD_TABLE_ROW_UNIT_ROWS);
    t.row_bytes = (uint64_t)t.columns * lod_dtype_bytes(t.dtype);
    return t;
}

static bool is_zero(const uint8_t *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (at[i]) {
            return false;
        }
    }
    return true;
}

static bool is_shard_legal(const struct table_row *t)
{
    return t->bytes >= LOD_TOC_HEADER_BYTES && t->bytes <= LOD_SHARD_STORED_MAX && t->rows >= 1 &&
           t->rows <= LOD_TOC_ROWS_MAX && t->first <= INT64_MAX;
}

/* No product overflows: each factor was compared with a limit before. */
static bool is_table_legal(const struct table_row *t)
{
    if (t->columns == 0 || t->row_bytes > LOD_SHARD_BYTES_MAX || t->shard_rows == 0 ||
        t->shard_rows > LOD_SHARD_BYTES_MAX / t->row_bytes || t->unit_rows == 0 ||
        t->shard_rows % t->unit_rows || t->header_bytes < LOD_NPY_PREFIX_BYTES ||
        t->header_bytes > LOD_NPY_HEADER_MAX || t->rows > INT64_MAX / 2 / t->row_bytes) {
        return false;
    }
    return t->bytes == t->header_bytes + t->rows * t->row_bytes &&
           t->shards == (t->rows + t->shard_rows - 1) / t->shard_rows &&
           (t->rows <= t->unit_rows || t->unit_rows * t->row_bytes >= LOD_TABLE_UNIT_MIN);
}

static int segments(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX])
{
    const struct table_row t = take_row(row);
    const size_t end = t.shard ? LOD_SHARD_ROW_END : LOD_TABLE_ROW_END;

    if ((lod_row_flags(row) & ~LOD_ITEM_SHARD) || row[2] || row[3] ||
        !is_zero(row + end, LOD_ROW_BYTES - end) || !lod_dtype_legal(t.dtype) ||
        !(t.shard ? is_shard_legal(&t) : is_table_legal(&t))) {
        return -EILSEQ;
    }
    memset(ret_bytes, 0, LOD_GROUPS_MAX * sizeof(ret_bytes[0]));
    ret_bytes[GROUP - 1] = t.shard ? t.bytes : t.header_bytes;
    return 0;
}

/* A shard is no file of the source, so it counts 0 bytes. */
static uint64_t source_bytes(const uint8_t row[LOD_ROW_BYTES])
{
    const struct table_row t = take_row(row);

    return t.shard ? 0 : t.bytes;
}

static int plan(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                enum lod_fidelity fidelity, struct lod_plan *ret_plan)
{
    const struct table_row t = take_row(row);
    struct lod_plan made;
    uint64_t bytes[LOD_GROUPS_MAX];

    (void)format;
    (void)fidelity;
    lod_plan_begin(&made);
    int error = segments(row, bytes);
    error = error ? error : lod_plan_add_stored(&made, GROUP, 0, bytes[GROUP - 1]);
    if (!error && !t.shard) {
        error = lod_plan_add_made(&made, 0, 0, t.bytes - t.header_bytes);
    }
    if (!error) {
        lod_plan_copy(&made, ret_plan);
    }
    return error == -EOVERFLOW ? -EILSEQ : error;
}

/* ----------------------------------------------------------------------------- made rows */

static uint64_t unit_bytes(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    const struct table_row t = take_row(row);

    (void)form;
    return t.unit_rows * t.row_bytes;
}

/* Returns the sum of the shard, the decoder's working memory, and the unit. */
static uint64_t cost(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    const struct table_row t = take_row(row);

    (void)form;
    return lod_shard_bytes_stored(t.shard_rows * t.row_bytes) + t.shard_rows * t.row_bytes +
           WORK_BYTES + t.unit_rows * t.row_bytes;
}

static int need(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs)
{
    const struct table_row t = take_row(row);

    (void)form;
    if (inputs->count == 0) {
        uint64_t shard = unit * t.unit_rows / t.shard_rows;
        inputs->input[inputs->count++] = (struct lod_input){
            .slot = LOD_SLOT_AHEAD, .ahead = (uint32_t)shard + 1, .group = GROUP};
    }
    return 0;
}

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    const struct table_row t = take_row(row);
    const uint64_t first = unit * t.unit_rows;
    const struct table_row of = take_row(inputs->input[0].row);
    struct lod_toc_shard shard;

    (void)form;
    if (!of.shard || of.number != inputs->input[0].ahead - 1 ||
        of.first != (uint64_t)of.number * t.shard_rows || of.dtype != t.dtype) {
        return -EILSEQ;
    }
    int error = lod_toc_open(inputs->input[0].data, &shard);
    if (error) {
        return error;
    }
    if (shard.dtype != t.dtype || shard.columns != t.columns || shard.rows != of.rows ||
        bytes % t.row_bytes || shard.rows < first - of.first + bytes / t.row_bytes ||
        lod_toc_work_bytes(&shard) > t.shard_rows * t.row_bytes + WORK_BYTES) {
        return -EILSEQ;
    }
    return lod_toc_decode(&shard, (uint32_t)(first - of.first), (uint32_t)(bytes / t.row_bytes),
                          into, bytes);
}

static uint32_t ahead(const uint8_t row[LOD_ROW_BYTES])
{
    const struct table_row t = take_row(row);

    return t.shard ? 0 : t.shards;
}

/* ------------------------------------------------------------------------- checked shards */

#define CHECK_BYTES_MAX ((uint64_t)64 << 20)

/* Expands batches as products do, as many as fit. Skips a single batch that takes more memory. */
static int check_batches(const struct lod_toc_shard *shard, uint32_t first, uint32_t *count)
{
    uint64_t bytes = lod_toc_matrix_bytes(shard, first, *count);
    struct lod_toc_matrix matrix;

    while (bytes > CHECK_BYTES_MAX && *count > 1) {
        *count = (*count + 1) / 2;
        bytes = lod_toc_matrix_bytes(shard, first, *count);
    }
    if (bytes > CHECK_BYTES_MAX) {
        return 0;
    }
    void *memory = aligned_alloc(64, lod_round_up(bytes, 64));
    int error =
        memory ? lod_toc_matrix_init(shard, first, *count, memory, bytes, &matrix) : -ENOMEM;
    free(memory);
    return error;
}

static int check_shard(const struct table_row *t, struct lod_span stored)
{
    struct lod_toc_shard shard;
    int error = lod_toc_open(stored, &shard);

    if (!error && (shard.dtype != t->dtype || shard.rows != t->rows)) {
        error = -EILSEQ;
    }
    for (uint32_t first = 0, count; !error && first < shard.batches; first += count) {
        count = shard.batches - first;
        error = check_batches(&shard, first, &count);
    }
    return error;
}

static int check_header(const struct table_row *t, struct lod_span stored)
{
    struct lod_npy npy;
    const char *why;
    uint32_t byte;
    int error = lod_npy_parse(stored, &npy, &why, &byte);

    if (error) {
        return error;
    }
    return npy.dtype == t->dtype && npy.rows == t->rows && npy.columns == t->columns &&
                   !npy.fortran_order && npy.header_bytes == t->header_bytes
               ? 0
               : -EILSEQ;
}

static int check(const uint8_t row[LOD_ROW_BYTES], struct lod_span stored)
{
    const struct table_row t = take_row(row);

    return t.shard ? check_shard(&t, stored) : check_header(&t, stored);
}

static uint64_t check_cost(const uint8_t row[LOD_ROW_BYTES])
{
    const struct table_row t = take_row(row);

    return t.shard ? t.bytes + CHECK_BYTES_MAX : t.header_bytes;
}

static int shard_facts(const uint8_t row[LOD_ROW_BYTES], struct lod_span head,
                       struct lod_shard_facts *ret_facts)
{
    const struct table_row t = take_row(row);

    if (!t.shard || head.bytes < LOD_TOC_HEADER_BYTES || !lod_dtype_legal(t.dtype)) {
        return -EILSEQ;
    }
    *ret_facts = (struct lod_shard_facts){
        .first = t.first,
        .number = t.number,
        .rows = (uint32_t)t.rows,
        .columns = lod_get_le32(head.at + LOD_TOC_AT_COLUMNS),
        .batch_rows = lod_get_le32(head.at + LOD_TOC_AT_BATCH_ROWS),
    };
    lod_dtype_name(t.dtype, ret_facts->dtype);
    return 0;
}

static const struct lod_maker maker = {
    .unit_bytes = unit_bytes, .cost = cost, .need = need, .make = make, .ahead = ahead};

const struct lod_codec lod_codec_toc = {
    .name = "toc",
    .id = LOD_CODEC_TOC,
    .groups = 1,
    .frame_shift = frame_shift,
    .segments = segments,
    .source_bytes = source_bytes,
    .plan = plan,
    .maker = &maker,
    .check = check,
    .check_cost = check_cost,
    .shard = shard_facts,
};
