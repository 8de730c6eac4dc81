/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers the entries of a tree breadth first (FORMAT.md, Numbering). Refuses duplicates, missing
 * parents and bad names. Writes no files. Takes 12 bytes for an entry.
 */
#ifndef LOD_TREE_ORDER_H
#define LOD_TREE_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "index/index_write.h"

struct lod_tree_order {
    uint32_t count;    /* nodes */
    uint32_t *entries; /* for each node: number of its entry */
    uint32_t *parents; /* for each node: its parent's number; never decreases */
};

/* Returns -EEXIST, -ENOTDIR, -EINVAL or -E2BIG like lod_index_write, with *ret_bad. */
LOD_MUST_CHECK int lod_tree_order_make(const struct lod_index_input *input,
                                       struct lod_tree_order *ret_order, const char **ret_bad);
void lod_tree_order_finish(struct lod_tree_order *order);

#endif
