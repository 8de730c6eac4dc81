/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How items are presented under one directory: the view table. A view names its folders at the
 * mount's root, says which nodes exist in it and what file a node is. Pure: reads rows only.
 */
#ifndef LOD_VIEW_H
#define LOD_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset.h"
#include "inode.h"

struct lod_view {
    const char *name;
    enum lod_format format;

    /* Name of the index-th folder this view shows at the root, its inode in *ret; NULL: no more. */
    const char *(*root_name)(unsigned index, struct lod_inode *ret_inode);

    /* Is this node shown at this fidelity? 0 or -ENOENT. */
    int (*shows)(struct lod_dataset *dataset, const struct lod_node *node,
                 enum lod_fidelity fidelity);

    /* The file that `item` is at this fidelity. -ENOENT; -EILSEQ: a malformed row. */
    int (*plan)(struct lod_dataset *dataset, const struct lod_item *item,
                enum lod_fidelity fidelity, struct lod_plan *ret_plan);
};

/* The view of a format; NULL if there is none. */
const struct lod_view *lod_view_of(enum lod_format format);

/* The index-th folder at the root over all views, in the order shown; NULL past the last. */
const char *lod_view_root(unsigned index, struct lod_inode *ret_inode);

extern const struct lod_view lod_view_tree;

#endif
