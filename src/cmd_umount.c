/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs umount [-l] MOUNTPOINT */
#include "cmd.h"

#include <stdio.h>
#include <unistd.h>

#include "fuse/mount.h"

static int run(int argc, char **argv)
{
    bool lazy = false;
    int option;

    optind = 1;
    while ((option = getopt(argc, argv, "+l")) != -1) {
        if (option != 'l') {
            return LOD_EXIT_USAGE;
        }
        lazy = true;
    }
    if (argc - optind != 1) {
        fprintf(stderr, "usage: lodfs umount [-l] MOUNTPOINT\n");
        return LOD_EXIT_USAGE;
    }
    return lod_mount_end(argv[optind], lazy) ? LOD_EXIT_FAILED : LOD_EXIT_OK;
}

const struct lod_cmd lod_cmd_umount = {
    .name = "umount",
    .usage = "[-l] MOUNTPOINT",
    .summary = "unmount a store",
    .help =
        "  -l  even while in use: the mount is gone at once, its daemon after the last close\n\n"
        "Waits until the daemon has ended. umount(8) and fusermount3 -u unmount as well.\n",
    .run = run,
};
