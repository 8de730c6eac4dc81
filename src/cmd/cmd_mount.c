/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lodfs mount [-f] [-d] [-s] [-o OPTIONS] STORE MOUNTPOINT, and the two command lines that mount(8)
 * uses: `mount.lodfs STORE MOUNTPOINT -sfnv -o ..`, and `lodfs STORE MOUNTPOINT -o ..` of
 * mount.fuse3.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "fuse/mount.h"
#include "mount/options.h"
#include "terminal/arguments.h"

/* mount(8)'s exit codes. */
#define MOUNT_USAGE  1
#define MOUNT_FAILED 32

/* The arguments of all these command lines. */
struct arguments {
    struct lod_mount_options mount;
    bool fake, ignored;
    const char *ignored_text;
};

#define FIELD(member)              LOD_FIELD(struct arguments, member)
#define FLAG(member, letter, help) LOD_ROW_FLAG(FIELD(member), letter, NULL, help)
#define IGNORED(letter_)                                                                           \
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(ignored_text), letter_, NULL, NULL, 0, NULL)
#define WORDS                                                                                      \
    {                                                                                              \
        .kind = LOD_OPTION_LIST, .letter = 'o', .field = FIELD(mount.o),                           \
        .max = LOD_OPTION_LIST_MAX, .value = "OPTIONS", .help = "see below and mount.lodfs(8)",    \
        .settings = lod_mount_words                                                                \
    }
#define OPERANDS                                                                                   \
    LOD_ROW_OPERAND(FIELD(mount.store), "STORE", 1, LOD_NAMES_FOLDERS),                            \
        LOD_ROW_OPERAND(FIELD(mount.mountpoint), "MOUNTPOINT", 1, LOD_NAMES_FOLDERS)

static int run(int argc, char **argv)
{
    struct arguments arguments = {.mount.mount8 = strcmp(argv[0], "mount") != 0};
    int code = lod_arguments_parse(&lod_cmd_mount, argc, argv, &arguments);

    if (code) {
        return code;
    }
    int error = lod_mount_run(&arguments.mount);
    return error == 0         ? LOD_EXIT_OK
           : error == -ENOENT ? LOD_EXIT_NO_STORE
           : error == -EINVAL ? LOD_EXIT_USAGE
                              : LOD_EXIT_FAILED;
}

static const struct lod_option helper_options[] = {
    FLAG(mount.sloppy, 's', "ignore unknown options of -o"),
    FLAG(fake, 'f', "check the arguments, but do not mount"),
    FLAG(ignored, 'n', NULL),
    FLAG(ignored, 'v', NULL),
    IGNORED('N'),
    IGNORED('t'),
    WORDS,
    OPERANDS,
    LOD_ROW_END,
};

int lod_cmd_mount_helper(int argc, char **argv)
{
    static const struct lod_cmd helper = {.name = "mount", .options = helper_options};
    struct arguments arguments = {.mount.mount8 = true};

    if (lod_arguments_parse(&helper, argc, argv, &arguments)) {
        return MOUNT_USAGE;
    }
    int error = arguments.fake ? 0 : lod_mount_run(&arguments.mount);
    return error == 0 ? 0 : error == -EINVAL ? MOUNT_USAGE : MOUNT_FAILED;
}

static const struct lod_option mount_options[] = {
    FLAG(mount.foreground, 'f', "stay in the foreground; SIGINT or SIGTERM unmounts"),
    FLAG(mount.debug, 'd', "debug: print every request of the kernel; implies -f"),
    FLAG(mount.single, 's', "serve with one thread"),
    LOD_ROW_VERBOSE(FIELD(mount.verbose), "log also in the background what -f shows"),
    {.kind = LOD_OPTION_TEXT,
     .offers = LOD_NAMES_FILES,
     .field = FIELD(mount.log_file),
     .name = "log-file",
     .value = "FILE",
     .help = "append the log to FILE, in place of the system's log"},
    WORDS,
    OPERANDS,
    LOD_ROW_END,
};

const struct lod_cmd lod_cmd_mount = {
    .name = "mount",
    .summary = "mount a store: MOUNTPOINT/q1 .. q10 and full",
    .after = "Returns when the mount is usable. Unmount it with `lodfs umount MOUNTPOINT`.",
    .options = mount_options,
    .run = run,
};
