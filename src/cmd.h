/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands: each parses its own argv, calls what does the work, prints, returns an exit code.
 */
#ifndef LOD_CMD_H
#define LOD_CMD_H

/* Exit codes; `lodfs help` and lodfs(1) list them. */
enum lod_exit {
    LOD_EXIT_OK = 0,
    LOD_EXIT_FAILED = 1,
    LOD_EXIT_USAGE = 2,
    LOD_EXIT_UNREADABLE = 3, /* done, but some inputs were left out */
    LOD_EXIT_NO_STORE = 10,
    LOD_EXIT_LOCKED = 11, /* another pack writes there */
    LOD_EXIT_INTERRUPTED = 130,
};

struct lod_cmd {
    const char *name;
    const char *usage;                 /* arguments, one line */
    const char *summary;               /* one line */
    const char *help;                  /* options, for `lodfs help NAME`; NULL: there are none */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name */
};

extern const struct lod_cmd lod_cmd_pack, lod_cmd_mount, lod_cmd_umount, lod_cmd_set, lod_cmd_stats,
    lod_cmd_ls, lod_cmd_info, lod_cmd_unpack, lod_cmd_verify, lod_cmd_repair, lod_cmd_version;

/* mount.lodfs: mount(8)'s arguments and exit codes. */
int lod_cmd_mount_helper(int argc, char **argv);

#endif
