/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a command: a table of its arguments, and a function that does the work, prints,
 * and returns an exit code.
 */
#ifndef LOD_CMD_H
#define LOD_CMD_H

#include "option.h"

/* Exit codes; `lodfs help` and lodfs(1) list them. */
enum lod_exit {
    LOD_EXIT_OK = 0,
    LOD_EXIT_FAILED = 1,
    LOD_EXIT_USAGE = 2,
    LOD_EXIT_UNREADABLE = 3, /* done, but some inputs were left out */
    LOD_EXIT_NO_STORE = 10,
    LOD_EXIT_LOCKED = 11,     /* another command is using it */
    LOD_EXIT_INCOMPLETE = 12, /* records of other parts are missing */
    LOD_EXIT_INTERRUPTED = 130,
};

struct lod_cmd {
    const char *name;
    const char *summary;                /* one line */
    const char *about, *after;          /* paragraphs before and after the options; NULL: none */
    const struct lod_option *options;   /* options, then operands in their order */
    const struct lod_cmd *const *verbs; /* commands that its first word chooses, up to a NULL */
    int (*run)(int argc, char **argv);  /* argv[0] is the command's name */
};

extern const struct lod_cmd lod_cmd_pack, lod_cmd_mount, lod_cmd_umount, lod_cmd_set, lod_cmd_stats,
    lod_cmd_ls, lod_cmd_order, lod_cmd_met, lod_cmd_info, lod_cmd_fidelity, lod_cmd_report,
    lod_cmd_unpack, lod_cmd_verify, lod_cmd_repair, lod_cmd_push, lod_cmd_warmup, lod_cmd_version;

/* Returns the last word of a command's name: "begin" of "met begin". */
const char *lod_cmd_word(const struct lod_cmd *cmd);

/* mount.lodfs, with the arguments and exit codes of mount(8). */
int lod_cmd_mount_helper(int argc, char **argv);

/*
 * Prints "lodfs: error: TEXT" on stderr, or for code 0 "lodfs: warning: TEXT", as the log does
 * (log.h), with the formats of text.h. Returns `code`, an exit code, or a negative errno, which
 * becomes LOD_EXIT_FAILED. If failures are documents, the first one that is not 0 is also printed
 * on stdout, with members error and exit.
 */
int lod_fail(int code, const char *format, ...) LOD_PRINTF(2, 3);

/* Says whether failures are documents. lod_arguments_parse calls it for --json; a command calls it
 * with false before the first byte of another document. */
void lod_fail_as_json(bool as_json);

#endif
