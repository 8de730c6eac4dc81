/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefix tree encoding, the second stage of the paper (algorithm 1): the rows of a batch, lists of
 * leaves, as lists of codes. Each code but a row's last would add a node; only nodes that some
 * code of the batch uses are numbered, and a flag says which those are. For encoders.
 */
#ifndef LOD_PREFIX_TREE_WRITE_H
#define LOD_PREFIX_TREE_WRITE_H

#include <stdint.h>

#include "compiler.h"
#include "toc/word_map.h"

/* Room is kept from batch to batch. */
struct lod_prefix_tree {
    struct lod_word_map children; /* parent, leaf */
    uint32_t *number;             /* of the node that a flag stands for */
    uint32_t room_rows, room_pairs;

    /* Of the last batch: */
    uint32_t codes, nodes, flags;
    uint32_t empty_rows;
    uint32_t *size; /* codes of each row */
    uint32_t *code; /* leaf < leaves; leaves + n is the n-th node */
    uint32_t *flag; /* of each code but the rows' last: 1 if it adds a node */
};

/* Room for batches of up to `rows` rows and `pairs` pairs. -ENOMEM. */
LOD_MUST_CHECK int lod_prefix_tree_init(struct lod_prefix_tree *tree, uint32_t rows,
                                        uint32_t pairs);
void lod_prefix_tree_finish(struct lod_prefix_tree *tree);

/* Row r of the batch is leaf[start[r]] .. leaf[start[r + 1] - 1]. */
void lod_prefix_tree_encode(struct lod_prefix_tree *tree, uint32_t leaves, uint32_t rows,
                            const uint32_t *start, const uint32_t *leaf);

#endif
