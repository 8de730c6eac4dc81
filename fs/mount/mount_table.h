/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's table of mounts. It answers which file system is mounted at a path, and whether a
 * folder is inside a mount or inside a store that is mounted. The table shows the values of -o
 * fsname and -o subtype, so the daemon is asked where the table is not enough.
 */
#ifndef LOD_MOUNT_TABLE_H
#define LOD_MOUNT_TABLE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "compiler.h"

/* A row of the table. */
struct lod_mount_row {
    dev_t device;
    uid_t mounter;              /* of a FUSE file system */
    bool ours, fuse;            /* by its type: fuse.lodfs, or any fuse or fuse.NAME */
    const char *point, *source; /* valid during the call */
};

/* Calls each(ctx, row) for every row, until it returns an error. Returns that, or an error of
 * reading the table. */
LOD_MUST_CHECK int lod_mount_table_each(int (*each)(void *ctx, const struct lod_mount_row *row),
                                        void *ctx);

/* The visible mount at an absolute path: the last one of several. */
struct lod_mount_seen {
    bool ours, fuse;
    uid_t mounter;
    char source[PATH_MAX];
};

/* Sets all to false and 0 if nothing is mounted there. Where /proc is not mounted, only a lodfs
 * whose daemon answers is seen. */
void lod_mount_table_at(const char *path, struct lod_mount_seen *ret_seen);

/*
 * Returns the location of the store that is mounted at `path`, for free(); NULL if `path` is not
 * the root of a lodfs mount. Returns -ENOMEM, or an error of reading the table of mounts.
 */
LOD_MUST_CHECK int lod_mount_table_store(const char *path, char **ret_location);

/*
 * Returns in *ret_inside whether the folder `fd` is inside a lodfs mount, or inside a store that is
 * mounted, at any depth. *ret_point is the mount point, for free(), or NULL. Returns -ENOMEM, or an
 * error of reading the table.
 */
LOD_MUST_CHECK int lod_mount_table_around(int fd, bool *ret_inside, char **ret_point);

/*
 * Returns a mount point of lodfs that is the folder `path` or below it, for free(); NULL if there
 * is none. Returns -ENOMEM, or an error of reading the table.
 */
LOD_MUST_CHECK int lod_mount_table_below(const char *path, char **ret_point);

#endif
