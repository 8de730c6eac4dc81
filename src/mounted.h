/* SPDX-License-Identifier: Apache-2.0 */
/* Which store is mounted there? */
#ifndef LOD_MOUNTED_H
#define LOD_MOUNTED_H

#include "compiler.h"

/*
 * The location of the store that a lodfs mount at `path` shows, for free(); NULL: `path` is no
 * lodfs mount's root. -ENOMEM, or why the table of mounts cannot be read.
 */
LOD_MUST_CHECK int lod_mounted_store(const char *path, char **ret_location);

#endif
