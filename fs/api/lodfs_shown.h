/* SPDX-License-Identifier: Apache-2.0 */
/* A file, folder or link of a store at a fidelity, and the bytes of a file. */
#ifndef LOD_LODFS_SHOWN_H
#define LOD_LODFS_SHOWN_H

#include <stddef.h>
#include <stdint.h>

#include "api/lodfs_opened.h"
#include "compiler.h"
#include "plan.h"

/* Follows from the index alone, so it stays valid when the same store is opened again. */
struct lod_shown {
    struct lod_node node;
    struct lod_item item; /* of a file, as the next */
    struct lod_plan plan;
};

/* Returns -ENOENT if there is no such name, or it is not shown at this fidelity; -EINVAL if there
 * is no such fidelity. */
LOD_MUST_CHECK int lod_shown_find(const struct lod_opened *opened, const char *path, int fidelity,
                                  struct lod_shown *ret_shown);

/* The same for files only: -EISDIR for a folder, -EINVAL for a symbolic link. */
LOD_MUST_CHECK int lod_shown_find_file(const struct lod_opened *opened, const char *path,
                                       int fidelity, struct lod_shown *ret_shown);

/* Fills in the other members for shown->node. Returns -ENOENT. */
LOD_MUST_CHECK int lod_shown_plan(const struct lod_opened *opened, int fidelity,
                                  struct lod_shown *shown);

/* Reads bytes [offset, offset + bytes) of a file, clipped to its end. */
LOD_MUST_CHECK int lod_shown_read(const struct lod_opened *opened, const struct lod_shown *shown,
                                  uint64_t offset, uint8_t *into, size_t bytes, size_t *ret_bytes);

#endif
