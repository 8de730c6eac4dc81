/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files by their paths in a mount, for programs without one. It reads rows of the index only.
 */
#ifndef LOD_NAMESPACE_FILE_H
#define LOD_NAMESPACE_FILE_H

#include "compiler.h"
#include "views/namespace.h"

/*
 * Finds `path` below the folder `from`; "" is the folder. Repeated '/', and '/' at the ends, are
 * accepted. Returns -ENOENT, -ENOTDIR or -ENAMETOOLONG, or an error of lod_dataset_node_failed.
 */
LOD_MUST_CHECK int lod_namespace_walk(struct lod_dataset *dataset, const struct lod_found *from,
                                      const char *path, struct lod_found *ret_found);

/* Returns whether only a running mount has it: a link `auto`, and .lodfs with its files. */
bool lod_namespace_is_live(const struct lod_found *found);

#endif
