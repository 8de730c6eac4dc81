/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes shards of kind RAW: all elements, in the narrowest form or as indexes into a table of
 * values. See shard_write.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "toc/shard/bits.h"
#include "toc/encode/shard_write.h"
#include "toc/encode/tree_bound_write.h"
#include "toc/shard/values.h"
#include "toc/encode/values_write.h"

/* A table of more values seldom pays off, and looking them up leaves the processor's cache. */
#define DISTINCT_MAX (1u << 16)
#define STEP         1024u
/* For a sample: emptying a larger map takes longer than growing a small one. */
#define EXPECTED_MAX 8192u

/* Reads `count` elements from element `first` on as words. For dense rows only. */
static void read_dense(const struct lod_toc_rows *rows, uint64_t first, uint64_t count,
                       uint64_t *words)
{
    unsigned bytes = lod_dtype_bytes(rows->dtype);
    lod_dtype_words(rows->dtype, (const uint8_t *)rows->dense + first * bytes, count, words);
}

/* Adds all elements. `numbers` has room for all of them if `wanted`, else for STEP. */
static int add_dense(struct lod_values_write *values, const struct lod_toc_rows *rows,
                     uint32_t *numbers, bool wanted)
{
    uint64_t elements = (uint64_t)rows->rows * rows->columns, words[STEP];
    int error = 0;

    for (uint64_t at = 0; at < elements && !error; at += STEP) {
        uint64_t count = elements - at < STEP ? elements - at : STEP;
        read_dense(rows, at, count, words);
        error = lod_values_add_all(values, words, count, numbers + (wanted ? at : 0));
        if (values->many && values->forms == 1u << LOD_TOC_VALUE_OWN) {
            break;
        }
    }
    return error;
}

/*
 * Returns how many distinct values among `elements` are enough for choose(). From that number on a
 * table of values is no smaller than the elements, in any form, and the values alone take half of
 * the bytes of RAW.
 */
static uint32_t distinct_enough(uint8_t dtype, uint64_t elements)
{
    const uint64_t half = elements / 2 + LOD_TOC_HEADER_BYTES;
    const unsigned bits = 8 * lod_dtype_bytes(dtype);
    const unsigned index_bits = lod_bits_of((uint32_t)half);
    const uint64_t pays = index_bits < bits ? elements - elements * index_bits / bits + 1 : 0;
    const uint64_t enough = half > pays ? half : pays;

    return enough < DISTINCT_MAX ? (uint32_t)enough : DISTINCT_MAX;
}

static int guess(struct lod_values_write *values, const struct lod_shard_plan *plan,
                 const struct lod_sparse *sparse, uint32_t *numbers,
                 struct lod_raw_guess *ret_guess)
{
    uint64_t elements = (uint64_t)sparse->rows * plan->columns;
    uint32_t pairs = lod_sparse_pairs(sparse);
    int error = pairs < elements ? lod_values_add(values, 0, NULL) : 0;

    error = error ? error : lod_values_add_all(values, sparse->word, pairs, numbers);
    if (error) {
        return error;
    }
    lod_values_decide(values, elements);
    struct lod_raw_guess raw = {
        .bytes = LOD_TOC_HEADER_BYTES + lod_values_table_bytes(values) +
                 lod_values_bytes(values, elements),
        .distinct = values->map.count,
        .table = values->table,
    };
    raw.tree_bytes_min = raw.distinct * (uint64_t)lod_value_bytes(values->dtype, values->value);
    if (raw.tree_bytes_min < raw.bytes / 2) {
        error = lod_tree_bound(plan, sparse, values, &raw.tree_bytes_min);
    } else {
        raw.tree_bytes_min = UINT64_MAX; /* TREE takes its codes in addition */
    }
    if (!error) {
        *ret_guess = raw;
    }
    return error;
}

int lod_shard_raw_guess(const struct lod_shard_plan *plan, const struct lod_sparse *sparse,
                        struct lod_raw_guess *ret_guess)
{
    uint64_t elements = (uint64_t)sparse->rows * plan->columns;
    uint32_t pairs = lod_sparse_pairs(sparse), expected = pairs / 4;
    uint32_t *numbers = malloc(((size_t)pairs + 1) * sizeof(*numbers));
    struct lod_values_write values;

    expected = expected < EXPECTED_MAX ? expected : EXPECTED_MAX;
    int error =
        lod_values_init(&values, plan->dtype, distinct_enough(plan->dtype, elements), expected);

    if (!error) {
        error = numbers ? guess(&values, plan, sparse, numbers, ret_guess) : -ENOMEM;
    }
    lod_values_finish(&values);
    free(numbers);
    return error;
}

/* Writes the elements themselves. */
static int write_direct(const struct lod_toc_rows *rows, const struct lod_values_write *values,
                        struct lod_buf *into)
{
    uint64_t elements = (uint64_t)rows->rows * rows->columns, words[STEP];
    int error = 0;

    if (values->value == LOD_TOC_VALUE_OWN && !(rows->dtype & LOD_DTYPE_BIG_ENDIAN)) {
        return lod_buf_append(into, rows->dense, elements * lod_dtype_bytes(rows->dtype));
    }
    for (uint64_t at = 0; at < elements && !error; at += STEP) {
        uint64_t count = elements - at < STEP ? elements - at : STEP;
        read_dense(rows, at, count, words);
        error = lod_values_write_words(values, words, count, into);
    }
    return error;
}

/* Writes indexes, batch by batch: those of each batch end at a whole byte. */
static int write_indexes(const struct lod_values_write *values, const uint32_t *numbers,
                         uint64_t elements, uint64_t batch_elements, struct lod_buf *into)
{
    int error = 0;

    for (uint64_t at = 0; at < elements && !error; at += batch_elements) {
        uint64_t count = elements - at < batch_elements ? elements - at : batch_elements;
        error = lod_values_write_numbers(values, numbers + at, count, into);
    }
    return error;
}

/*
 * Makes sparse rows dense. They are few, since RAW is chosen for a sparse table only if it is
 * small.
 */
static int made_dense(const struct lod_toc_rows *rows, uint8_t **ret_dense)
{
    unsigned bytes = lod_dtype_bytes(rows->dtype);
    uint64_t elements = (uint64_t)rows->rows * rows->columns;
    uint8_t *dense = elements <= LOD_TOC_PAIRS_MAX ? calloc((size_t)elements + 1, bytes) : NULL;
    const uint8_t *value = rows->entry_value;

    if (!dense) {
        return elements <= LOD_TOC_PAIRS_MAX ? -ENOMEM : -E2BIG;
    }
    for (uint32_t row = 0; row < rows->rows; row++) {
        for (uint64_t i = rows->starts[row]; i < rows->starts[row + 1]; i++) {
            if (rows->entry_column[i] >= rows->columns) {
                free(dense);
                return -EINVAL;
            }
            uint64_t at = (uint64_t)row * rows->columns + rows->entry_column[i];
            memcpy(dense + at * bytes, value + i * bytes, bytes);
        }
    }
    *ret_dense = dense;
    return 0;
}

static int write_values(const struct lod_shard_plan *plan, const struct lod_toc_rows *rows,
                        struct lod_values_write *values, uint32_t *numbers,
                        struct lod_shard_write *shard)
{
    uint64_t elements = (uint64_t)rows->rows * rows->columns;
    uint32_t batch_rows = plan->batch_rows < rows->rows ? plan->batch_rows : rows->rows;
    struct lod_buf *body = &shard->section[LOD_SECTION_BODY];
    int error = add_dense(values, rows, numbers, !plan->raw_direct);

    error = error ? error : lod_values_settle(values, elements);
    if (error) {
        return error;
    }
    shard->value = values->value;
    shard->index_bits = values->table ? values->index_bits : 0;
    shard->values = values->table ? values->map.count : 0;
    error = lod_values_write_table(values, &shard->section[LOD_SECTION_TABLE]);
    if (!error && elements) {
        error = values->table ? write_indexes(values, numbers, elements,
                                              (uint64_t)batch_rows * rows->columns, body)
                              : write_direct(rows, values, body);
    }
    return error;
}

static int write_dense(const struct lod_shard_plan *plan, const struct lod_toc_rows *rows,
                       struct lod_shard_write *shard)
{
    uint64_t elements = (uint64_t)rows->rows * rows->columns;
    uint32_t *numbers = malloc((plan->raw_direct ? STEP : elements + 1) * sizeof(*numbers));
    struct lod_values_write values;
    int error = lod_values_init(&values, plan->dtype, plan->raw_direct ? 0 : DISTINCT_MAX,
                                plan->raw_direct ? 0 : plan->distinct);

    if (!error) {
        error = numbers ? write_values(plan, rows, &values, numbers, shard) : -ENOMEM;
    }
    lod_values_finish(&values);
    free(numbers);
    return error;
}

int lod_shard_write_raw(const struct lod_shard_plan *plan, const struct lod_toc_rows *rows,
                        struct lod_shard_write *ret_shard)
{
    struct lod_shard_write shard = {.kind = LOD_TOC_RAW,
                                    .dtype = plan->dtype,
                                    .rows = rows->rows,
                                    .columns = plan->columns,
                                    .batch_rows = plan->batch_rows};
    struct lod_toc_rows dense = *rows;
    uint8_t *made = NULL;
    uint64_t elements = (uint64_t)rows->rows * rows->columns;
    int error = elements > LOD_TOC_PAIRS_MAX ? -E2BIG : 0;

    if (!error && elements && !rows->dense) {
        error = made_dense(rows, &made);
        dense.dense = made;
    }
    if (!error) {
        error = write_dense(plan, &dense, &shard);
    }
    free(made);
    if (error) {
        lod_shard_write_finish(&shard);
        return error;
    }
    *ret_shard = shard;
    return 0;
}
