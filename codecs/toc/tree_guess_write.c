/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See tree_guess_write.h. A pair's first appearance in a batch is a code of its own: sequences of
 * more are made of pairs that the batch had before (algorithm 1 of the paper). So a batch of n
 * distinct pairs has n codes at least, the largest of which is n - 1 or more.
 */
#include "toc/tree_guess_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "toc/bits.h"
#include "toc/toc_format.h"
#include "toc/values.h"

#define PAIRS_MAX (UINT64_C(1) << 22) /* column times value: a bit each, twice */

/* Sets the bits of pairs from .. end - 1, and counts those that were not set. */
static uint32_t mark(const struct lod_sparse *sparse, const uint32_t *numbers, uint32_t distinct,
                     uint32_t from, uint32_t end, uint64_t *seen)
{
    uint32_t count = 0;

    for (uint32_t i = from; i < end; i++) {
        const uint64_t pair = (uint64_t)sparse->column[i] * distinct + numbers[i];
        const uint64_t bit = UINT64_C(1) << pair % 64;
        count += !(seen[pair / 64] & bit);
        seen[pair / 64] |= bit;
    }
    return count;
}

/* Of values of leaves: direct, or as a table and indexes; a zero is of no pair. */
static uint64_t leaf_values_min(const struct lod_values_write *values, uint32_t leaves, bool zero)
{
    const uint64_t bytes = lod_value_bytes(values->dtype, values->value);
    const uint32_t distinct = values->map.count - zero;
    const unsigned bits = lod_bits_of(distinct ? distinct - 1 : 0);
    const uint64_t table = distinct * bytes + lod_bits_bytes(leaves, bits);

    return leaves * bytes < table ? leaves * bytes : table;
}

int lod_tree_guess(const struct lod_shard_plan *plan, const struct lod_sparse *sparse,
                   const struct lod_values_write *values, const uint32_t *numbers,
                   uint64_t *ret_bytes)
{
    const uint32_t distinct = values->map.count, rows = sparse->rows;
    const uint64_t pairs = (uint64_t)plan->columns * distinct, words = pairs / 64 + 1;
    uint64_t *seen = pairs <= PAIRS_MAX ? calloc(2 * words, sizeof(*seen)) : NULL;
    uint64_t bytes = LOD_TOC_HEADER_BYTES;

    if (!seen) {
        *ret_bytes = 0;
        return pairs <= PAIRS_MAX ? -ENOMEM : 0;
    }
    for (uint32_t row = 0; row < rows; row += plan->batch_rows) {
        uint32_t end = rows - row < plan->batch_rows ? rows : row + plan->batch_rows;
        uint32_t count =
            mark(sparse, numbers, distinct, sparse->start[row], sparse->start[end], seen);
        bytes += lod_bits_bytes(count, lod_bits_of(count ? count - 1 : 0)) + LOD_TOC_BATCH_BYTES;
        memset(seen, 0, words * sizeof(*seen));
    }
    uint32_t leaves = mark(sparse, numbers, distinct, 0, lod_sparse_pairs(sparse), seen + words);
    bytes +=
        leaf_values_min(values, leaves, lod_sparse_pairs(sparse) < (uint64_t)rows * plan->columns);
    free(seen);
    *ret_bytes = bytes;
    return 0;
}
