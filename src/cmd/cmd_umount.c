/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs umount [-l] MOUNTPOINT: unmounts a store. */
#include <stdbool.h>

#include "fuse/mount.h"
#include "terminal/arguments.h"

struct umount {
    const char *mountpoint;
    bool lazy;
};

static const struct lod_option umount_options[] = {
    LOD_ROW_FLAG(LOD_FIELD(struct umount, lazy), 'l', "lazy",
                 "unmount even while in use: the mount disappears at once, and its daemon ends "
                 "after the last close"),
    LOD_ROW_OPERAND(LOD_FIELD(struct umount, mountpoint), "MOUNTPOINT", 1, LOD_NAMES_MOUNTS),
    LOD_ROW_END,
};

static int run(int argc, char **argv)
{
    struct umount umount = {.lazy = false};
    int code = lod_arguments_parse(&lod_cmd_umount, argc, argv, &umount);

    if (code) {
        return code;
    }
    return lod_mount_end(umount.mountpoint, umount.lazy) ? LOD_EXIT_FAILED : LOD_EXIT_OK;
}

const struct lod_cmd lod_cmd_umount = {
    .name = "umount",
    .summary = "unmount a store",
    .after = "Waits until the daemon has ended. umount(8) and fusermount3 -u work too, but do not "
             "wait.",
    .options = umount_options,
    .run = run,
};
