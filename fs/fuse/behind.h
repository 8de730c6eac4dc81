/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which store is behind a mount: its daemon is asked, since the table of mounts shows what
 * -o fsname and -o subtype say.
 */
#ifndef LOD_BEHIND_H
#define LOD_BEHIND_H

#include <limits.h>
#include <stdbool.h>

/*
 * False: no daemon of ours answers at this path within two seconds, or it answers other users only.
 */
bool lod_behind(const char *mountpoint, char ret_store[PATH_MAX]);

/* Is a mount of this type (of the table of mounts) ours, by its own account? */
bool lod_behind_is_ours(const char *type);

/* May it be ours under another name: is it served by FUSE? */
bool lod_behind_is_fuse(const char *type);

#endif
