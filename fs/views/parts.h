/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders MOUNT/parts/<n>/<k>, which have part k of n of a store (sample/part.h) with all names
 * of the mount's root below them. `parts` and `parts/<n>` are found by name and list nothing, so no
 * program that walks a mount meets every file again for each part.
 *
 * Folders below a part have inode numbers of their own; files and links are those of the mount's
 * trees.
 */
#ifndef LOD_PARTS_H
#define LOD_PARTS_H

#include "compiler.h"
#include "dataset/dataset.h"
#include "views/inode.h"

/*
 * Finds the child of the root, of `parts`, or of parts/<n>, that is not listed. Returns -ENOENT if
 * it has none of this name, or `folder` is another folder.
 */
LOD_MUST_CHECK int lod_parts_lookup(const struct lod_inode *folder, const char *name,
                                    struct lod_inode *ret_inode);

/* Returns the folder above `parts`, parts/<n>, or the root of a part. */
struct lod_inode lod_parts_up(const struct lod_inode *inode);

/* Returns whether it is `parts` or parts/<n>. */
bool lod_parts_lists_nothing(const struct lod_inode *inode);

/*
 * Returns 0 if the part has this node, else -ENOENT. Other errors: its rows cannot be read. Every
 * part has all folders and links, tables with their shards, and raw files of small classes.
 */
LOD_MUST_CHECK int lod_parts_have(struct lod_dataset *dataset, struct lod_store_part part,
                                  const struct lod_node *node);

#endif
