/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lodfs mount [-f] [-d] [-s] [-o OPTIONS] STORE MOUNTPOINT, and mount(8)'s ways to the same:
 * `mount.lodfs STORE MOUNTPOINT -sfnv -o ..` and (mount.fuse3) `lodfs STORE MOUNTPOINT -o ..`.
 */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuse/mount.h"
#include "usage.h"

/* mount(8)'s exit codes. */
#define MOUNT_USAGE  1
#define MOUNT_SYSTEM 2
#define MOUNT_FAILED 32

/* Appends -o's argument to the others; false, and it is said: no memory. */
static bool join(char **text, const char *more)
{
    char *joined = NULL;
    int bytes = asprintf(&joined, "%s%s%s", *text ? *text : "", *text ? "," : "", more);

    if (bytes < 0) {
        fprintf(stderr, "lodfs: -o %s: %s\n", more, strerror(ENOMEM));
        return false;
    }
    free(*text);
    *text = joined;
    return true;
}

static const struct option long_options[] = {{0}};

static int exit_code(int error)
{
    return error == 0         ? LOD_EXIT_OK
           : error == -ENOENT ? LOD_EXIT_NO_STORE
           : error == -EINVAL ? LOD_EXIT_USAGE
                              : LOD_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
    struct lod_mount_options options = {.mount8 = strcmp(argv[0], "mount") != 0};
    char *o = NULL;
    int option, code = LOD_EXIT_OK;

    opterr = 0;
    optind = 0;
    while (code == LOD_EXIT_OK &&
           (option = getopt_long(argc, argv, ":fdso:", long_options, NULL)) != -1) {
        switch (option) {
        case 'f':
            options.foreground = true;
            break;
        case 'd':
            options.debug = true;
            break;
        case 's':
            options.single = true;
            break;
        case 'o':
            code = join(&o, optarg) ? LOD_EXIT_OK : LOD_EXIT_FAILED;
            break;
        default:
            code = lod_usage_option("mount", option, argv);
        }
    }
    if (code == LOD_EXIT_OK && argc - optind != 2) {
        fputs("lodfs: mount takes a STORE and a MOUNTPOINT; see lodfs mount --help\n", stderr);
        code = LOD_EXIT_USAGE;
    }
    if (code == LOD_EXIT_OK) {
        options.store = argv[optind];
        options.mountpoint = argv[optind + 1];
        options.o = o;
        code = exit_code(lod_mount_run(&options));
    }
    free(o);
    return code;
}

static int helper_exit_code(int error)
{
    return error == 0 ? 0 : error == -EINVAL ? MOUNT_USAGE : MOUNT_FAILED;
}

int lod_cmd_mount_helper(int argc, char **argv)
{
    struct lod_mount_options options = {.mount8 = true};
    bool fake = false;
    char *o = NULL;
    int option, code = 0;

    while (code == 0 && (option = getopt(argc, argv, "sfnvN:t:o:")) != -1) {
        if (option == '?') {
            code = MOUNT_USAGE;
        } else if (option == 's') {
            options.sloppy = true;
        } else if (option == 'f') {
            fake = true;
        } else if (option == 'o') {
            code = join(&o, optarg) ? 0 : MOUNT_SYSTEM;
        } /* -n, -v, -N, -t: nothing to do for them here */
    }
    if (code == 0 && argc - optind != 2) {
        fprintf(stderr, "usage: mount.lodfs STORE MOUNTPOINT [-sfnv] [-o OPTIONS]\n");
        code = MOUNT_USAGE;
    }
    if (code == 0 && !fake) {
        options.store = argv[optind];
        options.mountpoint = argv[optind + 1];
        options.o = o;
        code = helper_exit_code(lod_mount_run(&options));
    }
    free(o);
    return code;
}

const struct lod_cmd lod_cmd_mount = {
    .name = "mount",
    .usage = "[-f] [-d] [-s] [-o OPTIONS] STORE MOUNTPOINT",
    .summary = "mount a store: MOUNTPOINT/q1 .. q10 and full",
    .help = "  -f          stay in the foreground; SIGINT or SIGTERM unmounts\n"
            "  -d          debug: print every request of the kernel (and stay in the\n"
            "              foreground)\n"
            "  -s          serve with one thread\n"
            "  -o OPTIONS  allow_other, cache_size=256M, fidelity=full, threads=4, uid=,\n"
            "              gid=, umask=, ...; mount.lodfs(8) lists them\n"
            "\n"
            "Returns when the mount is usable. `lodfs umount MOUNTPOINT` ends it.\n",
    .run = run,
};
