/* SPDX-License-Identifier: Apache-2.0 */
/* Mount points: finding, checking and freeing the folder a mount stands on. */
#ifndef LOD_PLACE_H
#define LOD_PLACE_H

#include <limits.h>
#include <stdbool.h>

#include "compiler.h"

/* "/dev/fd/N": an already opened /dev/fuse, as mount.fuse3 -o drop_privileges hands over. */
bool lod_place_is_fd(const char *mountpoint);

/* The absolute path, links resolved; also of a dead mount (ENOTCONN). Negative errno. */
LOD_MUST_CHECK int lod_place_resolve(const char *mountpoint, char ret_path[PATH_MAX]);

/* Is what is mounted on this absolute path one of ours? */
bool lod_place_is_lodfs(const char *path);

/* Takes the mount away: as root by umount2, else by fusermount3. -EPERM: it is another user's;
 * -EBUSY: it is in use; -ENOSYS: there is no fusermount3; -ECANCELED, and its words are printed: it
 * would not. */
LOD_MUST_CHECK int lod_place_unmount(const char *path, bool lazy);

/*
 * Checks that a store at `store` may be mounted on `mountpoint`; replaces a mount of ours whose
 * daemon is gone, and covers one that lives only with `nonempty`. Prints the reason of a failure.
 * -ENOTDIR: not a folder one can mount on; -EBUSY: one is mounted there.
 */
LOD_MUST_CHECK int lod_place_prepare(const char *store, const char *mountpoint, bool nonempty,
                                     char ret_path[PATH_MAX]);

#endif
