/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -o subdir=: a folder of the mount becomes its root, as if it were bound there. The kernel calls a
 * root LOD_INODE_ROOT. All other numbers are those of the whole mount. The folder `.lodfs` is found
 * in the new root by name; listings show it only in the root of the whole mount.
 */
#ifndef LOD_SUBDIR_H
#define LOD_SUBDIR_H

#include "compiler.h"
#include "fuse/ops.h"

/*
 * Finds the number of the folder `path`, as in "q5/train"; NULL is the root of the whole mount.
 * Returns -EINVAL after a logged line if the mount has no such folder, or another error of
 * lod_dataset_node_failed.
 */
LOD_MUST_CHECK int lod_subdir_find(struct lod_dataset *dataset, const char *path,
                                   uint64_t *ret_root);

/* Returns the number in the whole mount for a number of the kernel. */
uint64_t lod_subdir_number(const struct lod_ops *ops, fuse_ino_t number);

/* lod_namespace_find for a number of the kernel. */
LOD_MUST_CHECK int lod_subdir_resolve(const struct lod_ops *ops, fuse_ino_t number,
                                      struct lod_found *ret_found);

/* lod_namespace_lookup. */
LOD_MUST_CHECK int lod_subdir_lookup(const struct lod_ops *ops, const struct lod_found *folder,
                                     const char *name, struct lod_found *ret_found);

/* lod_namespace_up, which does not leave the mount. */
LOD_MUST_CHECK int lod_subdir_up(const struct lod_ops *ops, const struct lod_found *found,
                                 struct lod_found *ret_found);

#endif
