/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names in a mount: MOUNT/[format/]FIDELITY/<path of the source> for each row of the view
 * table, `auto` beside the fidelities, and MOUNT/.lodfs. Below MOUNT/parts/<n>/<k> are the same
 * names without .lodfs, for a part of the store (parts.h). Resolves inode numbers, and lists the
 * children of folders. It knows no FUSE and reads no record.
 */
#ifndef LOD_NAMESPACE_H
#define LOD_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "views/inode.h"
#include "views/shards.h"
#include "views/view.h"

/* An inode number resolved. */
struct lod_found {
    struct lod_inode inode;
    const struct lod_view *view; /* NULL for a fixed number */
    struct lod_shard shard;      /* of a framed file */
    bool ascend;                 /* of the store: see lod_index_keys */
    /* For the root and a format's folder: the source's root; for `auto` and .lodfs with its files:
     * only mode and mtime; for a folder of framed files: their rows as children. */
    struct lod_node node;
};

/* Returns whether it is a framed file; `shard` says which. */
static inline bool lod_found_is_shard(const struct lod_found *found)
{
    return found->view && found->view->framing && found->inode.fidelity &&
           found->inode.fidelity != LOD_AUTO && found->inode.node != 0;
}

/* Returns -ENOENT if nothing has this number. Other errors: the index is damaged. */
LOD_MUST_CHECK int lod_namespace_find(struct lod_dataset *dataset, uint64_t number,
                                      struct lod_found *ret_found);

/* Returns the parent folder of `found`; the root's is the root. */
LOD_MUST_CHECK int lod_namespace_up(struct lod_dataset *dataset, const struct lod_found *found,
                                    struct lod_found *ret_found);

LOD_MUST_CHECK int lod_namespace_lookup(struct lod_dataset *dataset, const struct lod_found *folder,
                                        const char *name, struct lod_found *ret_found);

/* Returns the number of children of a folder, including those that are not shown. */
uint64_t lod_namespace_count(const struct lod_found *folder);

/*
 * Returns the child at `position`, which is below the count, and its name in this view. Returns
 * -ENOENT if it is not shown; the caller continues with the next. Other errors: its rows cannot be
 * read.
 */
LOD_MUST_CHECK int lod_namespace_child(struct lod_dataset *dataset, const struct lod_found *folder,
                                       uint64_t position, struct lod_found *ret_child,
                                       char name[LOD_NAME_MAX + 1]);

#endif
