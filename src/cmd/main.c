/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the command argv[1] in the table and runs it; prints help and the message about an unknown
 * command. mount(8) starts the program in two more ways: as mount.lodfs, and, through mount.fuse3,
 * without a command.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "terminal/arguments.h"
#include "terminal/complete.h"

/* clang-format off */
static const struct lod_cmd *const commands[] = {
    &lod_cmd_pack,
    &lod_cmd_mount,
    &lod_cmd_umount,
    &lod_cmd_set,
    &lod_cmd_stats,
    &lod_cmd_ls,
    &lod_cmd_order,
    &lod_cmd_met,
    &lod_cmd_info,
    &lod_cmd_fidelity,
    &lod_cmd_report,
    &lod_cmd_unpack,
    &lod_cmd_verify,
    &lod_cmd_repair,
    &lod_cmd_push,
    &lod_cmd_warmup,
    &lod_cmd_version,
};
/* clang-format on */
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const char exit_codes[] =
    "Exit codes: 0 done, 1 failed, 2 usage, 3 done but some inputs were left out,\n"
    "10 there is no store, 11 another command is using it, 12 parts are missing,\n"
    "130 interrupted.\n"
    "More: man lodfs\n";

static const struct lod_cmd *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(name, commands[i]->name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static void print_help(FILE *out)
{
    fputs("lodfs packs a folder of images once and mounts it at every fidelity. MOUNT/q1\n"
          "has the smallest version of each file; each step up to MOUNT/q10 and MOUNT/full\n"
          "adds detail.\n\n"
          "Usage: lodfs COMMAND [ARGUMENTS]\n\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "  %-8s %s\n\n", "help", "explain a command: lodfs help COMMAND");
    fputs(exit_codes, out);
}

#define WORD_MAX 16

/* Returns the edit distance of two words below WORD_MAX letters (Levenshtein). */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[WORD_MAX];
    size_t columns = strlen(b);

    for (unsigned j = 0; j <= columns; j++) {
        row[j] = j;
    }
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[columns];
}

/* Returns the most similar command; NULL if more than half of the letters differ. */
static const struct lod_cmd *nearest(const char *word)
{
    const struct lod_cmd *found = NULL;
    unsigned most = strlen(word) < 4 ? (unsigned)strlen(word) / 2 : 2;

    for (size_t i = 0; i < COMMANDS && strlen(word) < WORD_MAX; i++) {
        unsigned d = distance(word, commands[i]->name);
        if (d <= most && (!found || d < distance(word, found->name))) {
            found = commands[i];
        }
    }
    return found;
}

/* If another argument follows, the word may be a store: mount.fuse3 passes no command. */
static int refuse_unknown(const char *word, bool has_argument)
{
    const struct lod_cmd *meant = nearest(word);
    char names[256];
    struct lod_out out = {.text = names, .room = sizeof(names)};

    lod_out_put(&out, "", 0);
    for (size_t i = 0; i < COMMANDS && *word; i++) {
        if (strncmp(word, commands[i]->name, strlen(word)) == 0) {
            lod_out_print(&out, "%s'%s'", out.used ? " or " : "", commands[i]->name);
        }
    }
    if (!out.used && meant) {
        lod_out_print(&out, "'%s'", meant->name);
    }
    return out.used ? lod_fail(LOD_EXIT_USAGE, "there is no command '%pE'; did you mean %s?", word,
                               names)
                    : lod_fail(LOD_EXIT_USAGE, "%s '%pE'; see lodfs --help",
                               *word == '-'   ? "unknown option"
                               : has_argument ? "there is neither a command nor a store"
                                              : "there is no command",
                               word);
}

static int help(int argc, char **argv);

struct help {
    const char *command;
};

static const struct lod_option help_options[] = {
    LOD_ROW_OPERAND(LOD_FIELD(struct help, command), "COMMAND", 0, LOD_NAMES_NONE),
    LOD_ROW_END,
};

static const struct lod_cmd help_cmd = {
    .name = "help",
    .summary = "explain a command",
    .about = "Without COMMAND it lists the commands. `lodfs COMMAND --help` prints the same.",
    .options = help_options,
    .run = help,
};

static const struct lod_cmd *find_or_help(const char *name)
{
    return strcmp(name, help_cmd.name) == 0 ? &help_cmd : find(name);
}

static int help(int argc, char **argv)
{
    struct help given = {.command = NULL};
    int code = lod_arguments_parse(&help_cmd, argc, argv, &given);

    if (code) {
        return code;
    }
    if (!given.command) {
        print_help(stdout);
        return LOD_EXIT_OK;
    }
    const struct lod_cmd *cmd = find_or_help(given.command);
    if (!cmd) {
        return refuse_unknown(given.command, false);
    }
    lod_arguments_help(cmd);
    return LOD_EXIT_OK;
}

static bool wants_help(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

/* Returns whether this is `lodfs STORE MOUNTPOINT -o ...`: the first word is a folder, or looks
 * like a path. */
static bool is_mount_without_command(int argc, char **argv)
{
    struct stat st;

    return argc > 2 && argv[1][0] != '-' && find("mount") &&
           (strchr(argv[1], '/') || (stat(argv[1], &st) == 0 && S_ISDIR(st.st_mode)));
}

/* `lodfs __complete`, for the completion scripts; not in the help. */
static int complete(int argc, char **argv)
{
    const struct lod_cmd *all[COMMANDS + 1];

    memcpy(all, commands, sizeof(commands));
    all[COMMANDS] = &help_cmd;
    lod_complete(all, COMMANDS + 1, (const char *const *)argv + 2, argc - 2);
    return LOD_EXIT_OK;
}

static int run_command(int argc, char **argv)
{
    const struct lod_cmd *cmd = find_or_help(argv[1]);

    if (cmd && wants_help(argc - 1, argv + 1)) {
        lod_arguments_help(cmd);
        return LOD_EXIT_OK;
    }
    if (cmd) {
        return cmd->run(argc - 1, argv + 1);
    }
    if (wants_help(argc, argv)) {
        return help(1, argv);
    }
    if (strcmp(argv[1], "__complete") == 0) {
        return complete(argc, argv);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        return lod_cmd_version.run(argc - 1, argv + 1);
    }
    return is_mount_without_command(argc, argv) ? find("mount")->run(argc, argv)
                                                : refuse_unknown(argv[1], argc > 2);
}

/* Flushes stdout. Returns `code`, or LOD_EXIT_FAILED if a write failed, as on a full disk. */
static int flushed(int code)
{
    if ((fflush(stdout) || ferror(stdout)) && code == LOD_EXIT_OK) {
        fprintf(stderr, "lodfs: error: cannot write to standard output: %m\n");
        return LOD_EXIT_FAILED;
    }
    return code;
}

/* Returns whether the program was started as mount.lodfs or mount.fuse.lodfs: links in /sbin that
 * mount(8) looks for. */
static bool is_mount_helper(const char *name)
{
    const char *slash = strrchr(name, '/');

    return strncmp(slash ? slash + 1 : name, "mount.", 6) == 0;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* beyond `ulimit -f` a write fails, and the command says so */
    if (argc > 0 && is_mount_helper(argv[0])) {
        return lod_cmd_mount_helper(argc, argv);
    }
    if (argc < 2) {
        print_help(stderr);
        return LOD_EXIT_USAGE;
    }
    return flushed(run_command(argc, argv));
}
