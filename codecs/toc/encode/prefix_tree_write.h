/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefix tree encoding, the second stage of the paper (algorithm 1). It turns the rows of a batch,
 * lists of leaves, into lists of codes. Each code except a row's last could add a node to the tree.
 * Only nodes that a code of the batch uses get numbers, and a flag marks the codes that add them.
 * For encoders.
 */
#ifndef LOD_PREFIX_TREE_WRITE_H
#define LOD_PREFIX_TREE_WRITE_H

#include <stdint.h>

#include "compiler.h"
#include "toc/encode/word_map.h"

/* The memory is reused from batch to batch. */
struct lod_prefix_tree {
    struct lod_word_map children; /* keyed by parent and leaf */
    uint32_t *number;             /* of the node of each flag */
    uint32_t room_rows, room_pairs;

    /* The last batch: */
    uint32_t codes, nodes, flags;
    uint32_t empty_rows;
    uint32_t *size; /* number of codes in each row */
    uint32_t *code; /* codes: below `leaves` a leaf; leaves + n is the n-th node */
    uint32_t *flag; /* for each code except the rows' last: 1 if it adds a node */
};

/* Allocates for batches of up to `rows` rows and `pairs` pairs. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_prefix_tree_init(struct lod_prefix_tree *tree, uint32_t rows,
                                        uint32_t pairs);
void lod_prefix_tree_finish(struct lod_prefix_tree *tree);

/* Encodes a batch. Row r is leaf[start[r]] .. leaf[start[r + 1] - 1]. */
void lod_prefix_tree_encode(struct lod_prefix_tree *tree, uint32_t leaves, uint32_t rows,
                            const uint32_t *start, const uint32_t *leaf);

#endif
