/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view table. A view presents items under one directory. It defines its fidelities, the nodes
 * that exist in it, the file of each node, and names that differ from the source. It has no state
 * and reads rows only. namespace.h places the views in a mount.
 */
#ifndef LOD_VIEW_H
#define LOD_VIEW_H

#include "compiler.h"
#include "dataset/dataset.h"
#include "framing/framing.h"

/* Sets of fidelities: bit f. */
#define LOD_FIDELITIES_TO_FULL  ((2u << LOD_FULL) - (1u << LOD_Q1))
#define LOD_FIDELITIES_ORIGINAL (1u << LOD_ORIGINAL)

struct lod_view {
    const char *folder; /* MOUNT/folder/FIDELITY/..; "": MOUNT/FIDELITY/.. */
    enum lod_format format;
    unsigned fidelities; /* the fidelities that have a folder in it */

    /*
     * If not NULL, a folder of a fidelity lists the files of this framing (shards.h), and there are
     * no hooks. Otherwise it is the source tree, by the hooks.
     */
    const struct lod_framing *framing;

    /*
     * `show` returns the name of `node` in this view, NUL-terminated, and in *ret_own whether its
     * file has this view's format; else it is the tree's file. `item` is NULL for a node without an
     * item. `lookup` returns the node below `folder` with a name; it is the inverse. Both are NULL
     * if names and files are those of the tree.
     */
    int (*show)(struct lod_dataset *dataset, const struct lod_node *node,
                const struct lod_item *item, char name[LOD_NAME_MAX + 1], bool *ret_own);
    int (*lookup)(struct lod_dataset *dataset, const struct lod_node *folder, const char *name,
                  struct lod_node *ret_node);
};

/* Returns the view of a format; NULL if there is none. */
const struct lod_view *lod_view_of(enum lod_format format);

/*
 * Returns the index-th row of the table, in the order of folders at the root; NULL past the last.
 */
const struct lod_view *lod_view_at(unsigned index);

/* Returns 0 if this node is shown at this fidelity, else -ENOENT. original/ has only files whose
 * exact bytes the store can return. */
LOD_MUST_CHECK int lod_view_shows(const struct lod_view *view, struct lod_dataset *dataset,
                                  const struct lod_node *node, enum lod_fidelity fidelity);

/* Returns the plan of the file of `node`, whose item is `item`, at this fidelity. -ENOENT: there is
 * none; -EILSEQ: a malformed row. */
LOD_MUST_CHECK int lod_view_plan(const struct lod_view *view, struct lod_dataset *dataset,
                                 const struct lod_node *node, const struct lod_item *item,
                                 enum lod_fidelity fidelity, struct lod_plan *ret_plan);

/* Call the view's functions, or return the source's names if it has none. Nodes that are not shown
 * are not found. */
LOD_MUST_CHECK int lod_view_name(const struct lod_view *view, struct lod_dataset *dataset,
                                 const struct lod_node *node, char name[LOD_NAME_MAX + 1]);
LOD_MUST_CHECK int lod_view_lookup(const struct lod_view *view, struct lod_dataset *dataset,
                                   const struct lod_node *folder, enum lod_fidelity fidelity,
                                   const char *name, struct lod_node *ret_node);

/* For a view's lookup: returns the child that is named `own` in the source, if its name in the view
 * is `wanted`. */
LOD_MUST_CHECK int lod_view_try(const struct lod_view *view, struct lod_dataset *dataset,
                                const struct lod_node *folder, const char *own, const char *wanted,
                                struct lod_node *ret_node);

extern const struct lod_view lod_view_tree, lod_view_decoded, lod_view_native, lod_view_tar,
    lod_view_recordio, lod_view_tfrecord;

#endif
