/* SPDX-License-Identifier: Apache-2.0 */
/* Shards of kind RAW: all elements, in the narrowest form or as indexes. See shard_write.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "toc/shard_write.h"
#include "toc/values.h"
#include "toc/values_write.h"

/* A table of more distinct values seldom pays, and looking them up leaves the cache. */
#define DISTINCT_MAX (1u << 16)
#define STEP         1024u

/* `count` elements from element `first` on. Only for dense rows. */
static void read_dense(const struct lod_toc_rows *rows, uint64_t first, uint64_t count,
                       uint64_t *words)
{
    unsigned bytes = lod_dtype_bytes(rows->dtype);
    lod_dtype_words(rows->dtype, (const uint8_t *)rows->dense + first * bytes, count, words);
}

static int add_dense(struct lod_values_write *values, const struct lod_toc_rows *rows)
{
    uint64_t elements = (uint64_t)rows->rows * rows->columns, words[STEP];
    int error = 0;

    for (uint64_t at = 0; at < elements && !error; at += STEP) {
        uint64_t count = elements - at < STEP ? elements - at : STEP;
        read_dense(rows, at, count, words);
        error = lod_values_add_all(values, words, count);
        if (values->many && values->forms == 1u << LOD_TOC_VALUE_OWN) {
            break;
        }
    }
    return error;
}

static int add_sparse(struct lod_values_write *values, const struct lod_sparse *sparse,
                      uint64_t elements)
{
    uint32_t pairs = lod_sparse_pairs(sparse);
    int error = pairs < elements ? lod_values_add(values, 0, NULL) : 0;

    return error ? error : lod_values_add_all(values, sparse->word, pairs);
}

int lod_shard_raw_guess(const struct lod_shard_plan *plan, const struct lod_sparse *sparse,
                        struct lod_raw_guess *ret_guess)
{
    uint64_t elements = (uint64_t)sparse->rows * plan->columns;
    struct lod_values_write values;
    int error = lod_values_init(&values, plan->dtype, DISTINCT_MAX);

    if (!error) {
        error = add_sparse(&values, sparse, elements);
    }
    if (!error) {
        lod_values_decide(&values, elements);
        uint64_t value_bytes = lod_value_bytes(values.dtype, values.value);
        *ret_guess = (struct lod_raw_guess){
            .bytes = LOD_TOC_HEADER_BYTES + lod_values_table_bytes(&values) +
                     lod_values_bytes(&values, elements),
            .distinct_bytes = values.map.count * value_bytes,
            .table = values.table,
        };
    }
    lod_values_finish(&values);
    return error;
}

static int write_rows(const struct lod_toc_rows *rows, const struct lod_values_write *values,
                      uint32_t batch_rows, struct lod_buf *into)
{
    uint64_t batch_words = (uint64_t)batch_rows * rows->columns;
    uint64_t elements = (uint64_t)rows->rows * rows->columns;
    uint64_t *words = malloc((size_t)batch_words * sizeof(*words) + 1);
    int error = words ? 0 : -ENOMEM;

    for (uint64_t at = 0; at < elements && !error; at += batch_words) {
        uint64_t count = elements - at < batch_words ? elements - at : batch_words;
        read_dense(rows, at, count, words);
        error = lod_values_write_words(values, words, count, into);
    }
    free(words);
    return error;
}

/* Rows that were sparse, made dense. They are few: RAW of a sparse table is chosen if it is small.
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

static int write_dense(const struct lod_shard_plan *plan, const struct lod_toc_rows *rows,
                       struct lod_shard_write *shard)
{
    uint64_t elements = (uint64_t)rows->rows * rows->columns;
    uint32_t batch_rows = plan->batch_rows < rows->rows ? plan->batch_rows : rows->rows;
    struct lod_values_write values;
    int error = lod_values_init(&values, plan->dtype, plan->raw_direct ? 0 : DISTINCT_MAX);

    if (!error) {
        error = add_dense(&values, rows);
    }
    if (!error) {
        error = lod_values_settle(&values, elements);
    }
    if (!error) {
        shard->value = values.value;
        shard->index_bits = values.table ? values.index_bits : 0;
        shard->values = values.table ? values.map.count : 0;
        error = lod_values_write_table(&values, &shard->section[LOD_SECTION_TABLE]);
    }
    if (!error && elements) {
        error = write_rows(rows, &values, batch_rows, &shard->section[LOD_SECTION_BODY]);
    }
    lod_values_finish(&values);
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
