/* SPDX-License-Identifier: Apache-2.0 */
/* A file, folder or link of a store as a mount shows it, and the bytes of a file. */
#ifndef LOD_LODFS_SHOWN_H
#define LOD_LODFS_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/lodfs_opened.h"
#include "compiler.h"
#include "shard/shown_file.h"
#include "views/namespace_file.h"

/* Follows from the index, so it stays valid when the same store is opened again. */
struct lod_shown {
    struct lod_found found;
    struct lod_contents contents;
};

/* The folder that paths begin at: the source's root at a fidelity, or the root of a mount, as in
 * "tar/q4/data-000000.tar". That one lacks `auto` and .lodfs, which only a mount has. */
struct lod_top {
    bool mounted;
    int fidelity; /* if not `mounted` */
};

/*
 * Returns -ENOENT if there is no such name, or it is not shown at this fidelity; -EINVAL if there
 * is no such fidelity.
 */
LOD_MUST_CHECK int lod_shown_find(const struct lod_opened *opened, struct lod_top top,
                                  const char *path, struct lod_shown *ret_shown);

/* The same for files only: -EISDIR for a folder, -ELOOP for a symbolic link. */
LOD_MUST_CHECK int lod_shown_find_file(const struct lod_opened *opened, struct lod_top top,
                                       const char *path, struct lod_shown *ret_shown);

/* The same for a node of the source. */
LOD_MUST_CHECK int lod_shown_find_node(const struct lod_opened *opened, uint32_t node, int fidelity,
                                       struct lod_shown *ret_shown);

/* Returns the child of a folder at a position below lod_namespace_count, and its name. -ENOENT: it
 * is not shown. */
LOD_MUST_CHECK int lod_shown_child(const struct lod_opened *opened, const struct lod_shown *folder,
                                   uint64_t position, struct lod_shown *ret_child,
                                   char name[LOD_NAME_MAX + 1]);

/* Reads bytes [offset, offset + bytes) of a file, clipped to its end. */
LOD_MUST_CHECK int lod_shown_read(const struct lod_opened *opened, const struct lod_shown *shown,
                                  uint64_t offset, uint8_t *into, size_t bytes, size_t *ret_bytes);

#endif
