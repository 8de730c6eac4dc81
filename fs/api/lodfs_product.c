/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liblodfs, products and rows of a table. A range of batches or rows is divided at the shards, and
 * the results are combined. Elements have 8 or 4 bytes; offsets are in elements.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/lodfs_error.h"
#include "api/lodfs_table.h"

#define ALIGN 64u

enum kind { TIMES_VECTOR, VECTOR_TIMES, TIMES_MATRIX, MATRIX_TIMES };

struct product {
    const struct lodfs_table *table;
    enum kind kind;
    unsigned element; /* bytes: 8 or 4 */
    uint64_t first, count;
    uint64_t rows; /* of the range */
    uint32_t k;
    const uint8_t *from;
    uint8_t *into;
    uint8_t *scratch, *gathered; /* for toc; k x R numbers of a shard */
};

static uint64_t round_up(uint64_t bytes)
{
    return lod_round_up(bytes, ALIGN);
}

uint64_t lodfs_table_scratch_bytes(const struct lodfs_table *table, uint64_t k)
{
    const struct lod_table_core *core = table->core;
    uint64_t gathered;

    if (k > UINT32_MAX || __builtin_mul_overflow(k * 8, (uint64_t)core->rows_max, &gathered) ||
        gathered > UINT64_MAX / 4) {
        return UINT64_MAX;
    }
    return ALIGN + round_up(core->scratch_bytes) + round_up(gathered);
}

static void lay_out(struct product *p, void *scratch)
{
    const struct lod_table_core *core = p->table->core;
    uint8_t *at = scratch;

    at += (ALIGN - (uintptr_t)at % ALIGN) % ALIGN;
    p->scratch = at;
    p->gathered = at + round_up(core->scratch_bytes);
}

/* Multiplies one shard's range with the function for the kind and element size. */
static void run(const struct product *p, const struct lod_toc_range *range, const void *from,
                void *into)
{
    const bool wide = p->element == 8;

    switch (p->kind) {
    case TIMES_VECTOR:
        wide ? lod_toc_times_vector_f8(range, from, into)
             : lod_toc_times_vector_f4(range, from, into);
        break;
    case VECTOR_TIMES:
        wide ? lod_toc_vector_times_f8(range, from, into)
             : lod_toc_vector_times_f4(range, from, into);
        break;
    case TIMES_MATRIX:
        wide ? lod_toc_times_matrix_f8(range, from, p->k, into)
             : lod_toc_times_matrix_f4(range, from, p->k, into);
        break;
    case MATRIX_TIMES:
        wide ? lod_toc_matrix_times_f8(range, from, p->k, into)
             : lod_toc_matrix_times_f4(range, from, p->k, into);
        break;
    }
}

/* Gathers the columns from `at` on, of k x rows numbers, that belong to a shard's rows. */
static const uint8_t *gather(const struct product *p, uint64_t at, uint64_t rows)
{
    const uint64_t e = p->element;

    if (p->kind == VECTOR_TIMES || rows == p->rows) {
        return p->from + at * e;
    }
    for (uint32_t i = 0; i < p->k; i++) {
        memcpy(p->gathered + i * rows * e, p->from + (i * p->rows + at) * e, rows * e);
    }
    return p->gathered;
}

/* Multiplies rows from `at` on, which are in one shard. */
static void run_shard(const struct product *p, const struct lod_toc_range *range, uint64_t at,
                      uint64_t rows)
{
    if (p->kind == TIMES_VECTOR || p->kind == TIMES_MATRIX) {
        run(p, range, p->from, p->into + at * p->k * p->element);
    } else {
        run(p, range, gather(p, at, rows), p->into);
    }
}

static void scale(void *into, uint64_t count, unsigned element, double factor)
{
    for (uint64_t i = 0; factor != 1 && i < count; i++) {
        if (element == 8) {
            ((double *)into)[i] *= factor;
        } else {
            ((float *)into)[i] *= (float)factor;
        }
    }
}

static void run_all(const struct product *p)
{
    const struct lod_table_core *core = p->table->core;
    const bool by_row = p->kind == TIMES_VECTOR || p->kind == TIMES_MATRIX;
    const uint64_t results = (by_row ? p->rows : core->columns) * p->k;
    uint64_t batch = p->first, at = 0;

    if (p->count == 0 && !by_row) {
        memset(p->into, 0, results * p->element);
    }
    while (batch < p->first + p->count) {
        const struct lod_table_shard *shard = lod_table_shard_of_batch(core, batch);
        const uint64_t local = batch - shard->first_batch, left = p->first + p->count - batch;
        const uint64_t there = shard->shard.batches - local;
        const struct lod_toc_range range = {.matrix = shard->matrix,
                                            .first = (uint32_t)local,
                                            .count = (uint32_t)(left < there ? left : there),
                                            .scratch = p->scratch,
                                            .adds = at > 0};
        const uint64_t rows = lod_toc_matrix_rows(range.matrix, range.first, range.count);
        run_shard(p, &range, at, rows);
        at += rows;
        batch += range.count;
    }
    scale(p->into, results, p->element, p->table->factor);
}

static int multiply(struct product *p, void *scratch, struct lodfs_error *error)
{
    const uint64_t batches = p->table->core->batches;
    const uint64_t bytes = lodfs_table_scratch_bytes(p->table, p->k);
    void *own = NULL;

    if (p->first > batches || p->count > batches - p->first) {
        return lod_say(error, -EINVAL, "the table has %" PRIu64 " batches", batches);
    }
    p->rows = lodfs_table_batch_rows(p->table, p->first, p->count);
    if (p->k == 0) {
        return 0;
    }
    if (!scratch) {
        own = scratch = bytes == UINT64_MAX ? NULL : malloc(bytes);
        if (!own) {
            return lod_say(error, -ENOMEM, "out of memory");
        }
    }
    lay_out(p, scratch);
    run_all(p);
    free(own);
    return 0;
}

/* The body of a product with `columns` columns. */
#define MULTIPLY(what, type, columns)                                                              \
    {                                                                                              \
        struct product p = {.table = table,                                                        \
                            .kind = what,                                                          \
                            .element = sizeof(type),                                               \
                            .first = first,                                                        \
                            .count = count,                                                        \
                            .k = columns,                                                          \
                            .from = (const uint8_t *)from,                                         \
                            .into = (uint8_t *)into};                                              \
        return multiply(&p, scratch, error);                                                       \
    }

#define PRODUCT(name, what, type, suffix)                                                          \
    int lodfs_table_##name##_##suffix(const struct lodfs_table *table, uint64_t first,             \
                                      uint64_t count, const type *from, type *into, void *scratch, \
                                      struct lodfs_error *error) MULTIPLY(what, type, 1)

#define MATRIX_PRODUCT(name, what, type, suffix)                                                   \
    int lodfs_table_##name##_##suffix(                                                             \
        const struct lodfs_table *table, uint64_t first, uint64_t count, const type *from,         \
        uint32_t k, type *into, void *scratch, struct lodfs_error *error) MULTIPLY(what, type, k)

PRODUCT(times_vector, TIMES_VECTOR, double, f8)
PRODUCT(times_vector, TIMES_VECTOR, float, f4)
PRODUCT(vector_times, VECTOR_TIMES, double, f8)
PRODUCT(vector_times, VECTOR_TIMES, float, f4)
MATRIX_PRODUCT(times_matrix, TIMES_MATRIX, double, f8)
MATRIX_PRODUCT(times_matrix, TIMES_MATRIX, float, f4)
MATRIX_PRODUCT(matrix_times, MATRIX_TIMES, double, f8)
MATRIX_PRODUCT(matrix_times, MATRIX_TIMES, float, f4)

/* -------------------------------------------------------------------------------- rows */

enum form { ELEMENTS, NUMBERS_8, NUMBERS_4 };

static int decode(const struct lod_toc_shard *shard, enum form form, uint32_t first, uint32_t rows,
                  void *into)
{
    switch (form) {
    case NUMBERS_8:
        return lod_toc_decode_f8(shard, first, rows, into);
    case NUMBERS_4:
        return lod_toc_decode_f4(shard, first, rows, into);
    default:
        return lod_toc_decode(shard, first, rows, into, lod_toc_source_bytes(shard, rows));
    }
}

static int take_rows(const struct lodfs_table *table, enum form form, uint64_t first,
                     uint64_t count, void *into, struct lodfs_error *error)
{
    const struct lod_table_core *core = table->core;
    const uint64_t element = form == NUMBERS_8   ? 8
                             : form == NUMBERS_4 ? 4
                                                 : lod_dtype_bytes(core->dtype);
    uint8_t *to = into;
    int result = 0;

    if (first > core->rows || count > core->rows - first) {
        return lod_say(error, -EINVAL, "the table has %" PRIu64 " rows", core->rows);
    }
    for (uint32_t i = 0; !result && i < core->count && count; i++) {
        const struct lod_table_shard *shard = &core->shards[i];
        const uint64_t end = shard->first_row + shard->shard.rows;
        if (first >= end) {
            continue;
        }
        const uint64_t rows = count < end - first ? count : end - first;
        result =
            decode(&shard->shard, form, (uint32_t)(first - shard->first_row), (uint32_t)rows, to);
        to += rows * core->columns * element;
        first += rows;
        count -= rows;
    }
    return result ? lod_say(error, result, "cannot decode the table: %s", strerrordesc_np(-result))
                  : 0;
}

int lodfs_table_elements(const struct lodfs_table *table, uint64_t first, uint64_t count,
                         void *into, struct lodfs_error *error)
{
    if (table->factor != 1) {
        return lod_say(error, -EINVAL, "a table that was scaled has no elements of the source");
    }
    return take_rows(table, ELEMENTS, first, count, into, error);
}

static int take_numbers(const struct lodfs_table *table, enum form form, uint64_t first,
                        uint64_t count, void *into, struct lodfs_error *error)
{
    int result = take_rows(table, form, first, count, into, error);

    if (!result) {
        scale(into, count * table->core->columns, form == NUMBERS_8 ? 8 : 4, table->factor);
    }
    return result;
}

int lodfs_table_dense_f8(const struct lodfs_table *table, uint64_t first, uint64_t count,
                         double *into, struct lodfs_error *error)
{
    return take_numbers(table, NUMBERS_8, first, count, into, error);
}

int lodfs_table_dense_f4(const struct lodfs_table *table, uint64_t first, uint64_t count,
                         float *into, struct lodfs_error *error)
{
    return take_numbers(table, NUMBERS_4, first, count, into, error);
}
