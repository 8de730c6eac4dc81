/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves, checks and unmounts mount points. */
#ifndef LOD_MOUNTPOINT_H
#define LOD_MOUNTPOINT_H

#include <limits.h>
#include <stdbool.h>

#include "compiler.h"

/*
 * Returns whether it is "/dev/fd/N", an open /dev/fuse that mount.fuse3 -o drop_privileges passes.
 */
bool lod_mountpoint_is_fd(const char *mountpoint);

/* Returns the absolute path with links resolved, also of a dead mount (ENOTCONN), or a negative
 * errno. */
LOD_MUST_CHECK int lod_mountpoint_resolve(const char *mountpoint, char ret_path[PATH_MAX]);

/* Returns whether lodfs is mounted on this absolute path. */
bool lod_mountpoint_is_lodfs(const char *path);

/*
 * Unmounts: as root with umount2, else with fusermount3. Returns -EPERM for another user's mount,
 * -EBUSY if it is in use, -ENOSYS without fusermount3, and -ECANCELED if fusermount3 failed and its
 * output was printed.
 */
LOD_MUST_CHECK int lod_mountpoint_unmount(const char *path, bool lazy);

/*
 * Checks that a store at `store` may be mounted on `mountpoint`. Replaces a lodfs mount whose
 * daemon has ended. Covers a live mount only with `nonempty`. Prints the reason of a failure.
 * Returns -ENOTDIR if it is not a folder that can be a mount point, -EBUSY if lodfs is mounted
 * there.
 */
LOD_MUST_CHECK int lod_mountpoint_prepare(const char *store, const char *mountpoint, bool nonempty,
                                          char ret_path[PATH_MAX]);

#endif
