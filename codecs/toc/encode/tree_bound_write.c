/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lower bound for TREE shards; see tree_bound_write.h. The first appearance of a pair in a batch
 * is a code of its own, since longer sequences consist of pairs that the batch had before
 * (algorithm 1 of the paper). So a batch of n distinct pairs has at least n codes, and its largest
 * code is at least n - 1. Pairs are counted with one bit each, chosen by their hash. If two share a
 * bit, the count is too small, and the bound is still a lower bound.
 */
#include "toc/encode/tree_bound_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "toc/shard/bits.h"
#include "toc/shard/toc_format.h"
#include "toc/shard/values.h"

#define BITS_A_PAIR 16u
#define BITS_MIN    10u
#define BITS_MAX    22u /* log2 of the number of bits: half a megabyte */

static unsigned bits_for(uint32_t pairs)
{
    unsigned bits = BITS_MIN;

    while (bits < BITS_MAX && UINT64_C(1) << bits < (uint64_t)pairs * BITS_A_PAIR) {
        bits++;
    }
    return bits;
}

/* Sets the bits of pairs from .. end - 1 and returns how many were not set before. */
static uint32_t mark(const struct lod_sparse *sparse, uint32_t from, uint32_t end, uint64_t *seen,
                     unsigned bits)
{
    uint32_t count = 0;

    for (uint32_t i = from; i < end; i++) {
        const uint64_t word = sparse->word[i];
        const uint64_t mixed =
            (word ^ word >> 32) + sparse->column[i] * UINT64_C(0xbf58476d1ce4e5b9);
        const uint64_t at = mixed * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
        const uint64_t bit = UINT64_C(1) << at % 64;
        count += !(seen[at / 64] & bit);
        seen[at / 64] |= bit;
    }
    return count;
}

/*
 * Returns a lower bound of the values of the leaves: stored directly, or as a table and indexes.
 * The value zero belongs to no pair.
 */
static uint64_t leaf_values_min(const struct lod_values_write *values, uint32_t leaves, bool zero)
{
    const uint64_t bytes = lod_value_bytes(values->dtype, values->value);
    const uint32_t distinct = values->map.count - zero;
    const unsigned bits = lod_bits_of(distinct ? distinct - 1 : 0);
    const uint64_t table = distinct * bytes + lod_bits_bytes(leaves, bits);

    return leaves * bytes < table ? leaves * bytes : table;
}

int lod_tree_bound(const struct lod_shard_plan *plan, const struct lod_sparse *sparse,
                   const struct lod_values_write *values, uint64_t *ret_bytes)
{
    const uint32_t rows = sparse->rows, pairs = lod_sparse_pairs(sparse);
    const unsigned bits = bits_for(pairs);
    const size_t room = ((size_t)1 << bits) / 8;
    uint64_t *seen = calloc(2, room), *of_all = seen ? seen + room / sizeof(*seen) : NULL;
    uint64_t bytes = LOD_TOC_HEADER_BYTES;

    if (!seen) {
        return -ENOMEM;
    }
    for (uint32_t row = 0; row < rows; row += plan->batch_rows) {
        const uint32_t end = rows - row < plan->batch_rows ? rows : row + plan->batch_rows;
        const uint32_t count = mark(sparse, sparse->start[row], sparse->start[end], seen, bits);
        bytes += LOD_TOC_BATCH_BYTES + lod_bits_bytes(count, lod_bits_of(count ? count - 1 : 0));
        memset(seen, 0, room);
    }
    const uint32_t leaves = mark(sparse, 0, pairs, of_all, bits);
    bytes += leaf_values_min(values, leaves, pairs < (uint64_t)rows * plan->columns);
    free(seen);
    *ret_bytes = bytes;
    return 0;
}
