/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files by their paths in a mount, for programs without one: finds a path, and plans the file that
 * is there. It reads rows of the index only.
 */
#ifndef LOD_NAMESPACE_FILE_H
#define LOD_NAMESPACE_FILE_H

#include "compiler.h"
#include "plan.h"
#include "views/namespace.h"

/*
 * Finds `path` below the folder `from`; "" is the folder. Repeated '/', and '/' at the ends, are
 * accepted. Returns -ENOENT, -ENOTDIR or -ENAMETOOLONG, or an error of lod_dataset_node_failed.
 */
LOD_MUST_CHECK int lod_namespace_walk(struct lod_dataset *dataset, const struct lod_found *from,
                                      const char *path, struct lod_found *ret_found);

/* Returns whether only a running mount has it: a link `auto`, and .lodfs with its files. */
bool lod_namespace_is_live(const struct lod_found *found);

/* The state of a file. */
struct lod_contents {
    uint64_t bytes;       /* of a file, or of a link's target; 0 for a folder */
    struct lod_item item; /* of a file that is not framed, like the next */
    struct lod_plan plan;
};

/* Returns -ENOENT if the file is not shown. Other errors: its rows cannot be read. Not for fixed
 * numbers and links `auto`, which a mount changes. */
LOD_MUST_CHECK int lod_namespace_contents(struct lod_dataset *dataset,
                                          const struct lod_found *found,
                                          struct lod_contents *ret_contents);

#endif
