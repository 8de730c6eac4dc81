/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs umount [-l] MOUNTPOINT */
#include "cmd.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "fuse/mount.h"
#include "usage.h"

static const struct option long_options[] = {{"lazy", no_argument, NULL, 'l'}, {0}};

static int run(int argc, char **argv)
{
    bool lazy = false;
    int option;

    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":l", long_options, NULL)) != -1) {
        if (option != 'l') {
            return lod_usage_option("umount", option, argv);
        }
        lazy = true;
    }
    if (argc - optind != 1) {
        fputs("lodfs: umount takes one MOUNTPOINT; see lodfs umount --help\n", stderr);
        return LOD_EXIT_USAGE;
    }
    return lod_mount_end(argv[optind], lazy) ? LOD_EXIT_FAILED : LOD_EXIT_OK;
}

const struct lod_cmd lod_cmd_umount = {
    .name = "umount",
    .usage = "[-l] MOUNTPOINT",
    .summary = "unmount a store",
    .help = "  -l, --lazy  even while in use: the mount is gone at once, its daemon after\n"
            "              the last close\n"
            "\n"
            "Waits until the daemon has ended. umount(8) and fusermount3 -u unmount as well.\n",
    .run = run,
};
