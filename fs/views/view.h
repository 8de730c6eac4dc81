/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How items are presented under one directory: the view table. A view says which fidelities it has,
 * which nodes exist in it, what file a node is and, where that differs, what it is called. Pure:
 * reads rows only. Where a view's folders stand in a mount is grammar.h's.
 */
#ifndef LOD_VIEW_H
#define LOD_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset.h"

/* Sets of fidelities: bit f. */
#define LOD_FIDELITIES_TO_FULL  ((2u << LOD_FULL) - (1u << LOD_Q1))
#define LOD_FIDELITIES_ORIGINAL (1u << LOD_ORIGINAL)

struct lod_view {
    const char *folder; /* MOUNT/folder/FIDELITY/..; "": MOUNT/FIDELITY/.. */
    enum lod_format format;
    unsigned fidelities; /* the set of those it has a folder for */

    /* Is this node shown at this fidelity? 0 or -ENOENT. */
    int (*shows)(struct lod_dataset *dataset, const struct lod_node *node,
                 enum lod_fidelity fidelity);

    /* The file that `node`, whose item is `item`, is at this fidelity. -ENOENT; -EILSEQ: a
     * malformed row. */
    int (*plan)(struct lod_dataset *dataset, const struct lod_node *node,
                const struct lod_item *item, enum lod_fidelity fidelity, struct lod_plan *ret_plan);

    /*
     * What `node` is called here, NUL-terminated, and the node below `folder` that is called so:
     * each undoes the other. NULL, both: as in the source.
     */
    int (*name)(struct lod_dataset *dataset, const struct lod_node *node,
                char name[LOD_NAME_MAX + 1]);
    int (*lookup)(struct lod_dataset *dataset, const struct lod_node *folder, const char *name,
                  struct lod_node *ret_node);
};

/* The view of a format; NULL if there is none. */
const struct lod_view *lod_view_of(enum lod_format format);

/* The index-th row of the table, in the order shown at the root; NULL past the last. */
const struct lod_view *lod_view_at(unsigned index);

/* The hooks, or what holds where a view has none; `shows` is asked too. */
LOD_MUST_CHECK int lod_view_name(const struct lod_view *view, struct lod_dataset *dataset,
                                 const struct lod_node *node, char name[LOD_NAME_MAX + 1]);
LOD_MUST_CHECK int lod_view_lookup(const struct lod_view *view, struct lod_dataset *dataset,
                                   const struct lod_node *folder, enum lod_fidelity fidelity,
                                   const char *name, struct lod_node *ret_node);

/* For a view's lookup: the child called `own` in the source, if the view calls it `wanted`. */
LOD_MUST_CHECK int lod_view_try(const struct lod_view *view, struct lod_dataset *dataset,
                                const struct lod_node *folder, const char *own, const char *wanted,
                                struct lod_node *ret_node);

extern const struct lod_view lod_view_tree, lod_view_decoded, lod_view_native;

#endif
