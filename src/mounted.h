/* SPDX-License-Identifier: Apache-2.0 */
/* What the table of mounts says of lodfs: which store is mounted there, is this one mounted? */
#ifndef LOD_MOUNTED_H
#define LOD_MOUNTED_H

#include <stdbool.h>

#include "compiler.h"

/*
 * The location of the store that a lodfs mount at `path` shows, for free(); NULL: `path` is no
 * lodfs mount's root. -ENOMEM, or why the table of mounts cannot be read.
 */
LOD_MUST_CHECK int lod_mounted_store(const char *path, char **ret_location);

/*
 * The folder behind `fd`: does it lie in a lodfs mount, or in a store that is mounted, at any
 * depth? *ret_point is where, for free(), or NULL. -ENOMEM, or why the table cannot be read.
 */
LOD_MUST_CHECK int lod_mounted_folder(int fd, bool *ret_inside, char **ret_point);

/*
 * A mount point of lodfs that is the folder at `path` or lies below it, for free(); NULL: there is
 * none. -ENOMEM, or why the table cannot be read.
 */
LOD_MUST_CHECK int lod_mounted_below(const char *path, char **ret_point);

#endif
