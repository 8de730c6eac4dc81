/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbering the entries of a tree breadth first (FORMAT.md, Numbering), and refusing what is no
 * tree: doubles, missing parents, bad names. Writes nothing. 12 bytes an entry.
 */
#ifndef LOD_TREE_ORDER_H
#define LOD_TREE_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "store/index_write.h"

struct lod_tree_order {
    uint32_t count;    /* nodes */
    uint32_t *entries; /* by node: number of its entry */
    uint32_t *parents; /* by node: the parent's node; never decreases */
};

/* -EEXIST, -ENOTDIR, -EINVAL, -E2BIG as lod_index_write, with *ret_bad. */
LOD_MUST_CHECK int lod_tree_order_make(const struct lod_entry *entries, size_t count,
                                       struct lod_tree_order *ret_order, const char **ret_bad);
void lod_tree_order_finish(struct lod_tree_order *order);

#endif
