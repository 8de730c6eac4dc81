/* SPDX-License-Identifier: Apache-2.0 */
/*
 * argv[1] -> a row of the command table; help, and what to say of a word that is no command.
 * mount(8) calls us in two more ways: as mount.lodfs, and (mount.fuse3) without a command.
 */
#include "cmd.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "log.h"

/* clang-format off */
static const struct lod_cmd *const commands[] = {
    &lod_cmd_pack,
    &lod_cmd_mount,
    &lod_cmd_umount,
    &lod_cmd_set,
    &lod_cmd_stats,
    &lod_cmd_ls,
    &lod_cmd_info,
    &lod_cmd_unpack,
    &lod_cmd_verify,
    &lod_cmd_repair,
    &lod_cmd_version,
};
/* clang-format on */
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const char exit_codes[] =
    "Exit codes: 0 done, 1 failed, 2 usage, 3 done but some inputs were left out,\n"
    "10 no store there, 11 locked by another pack, 130 interrupted.  More: man lodfs\n";

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
    fputs("lodfs packs a folder of photographs once and mounts it at every fidelity:\n"
          "the same files in MOUNT/q1 .. q10 and full, of more and more bytes.\n\n"
          "Usage: lodfs COMMAND [ARGUMENTS]\n\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "  %-8s %s\n\n", "help", "explain a command: lodfs help COMMAND");
    fputs(exit_codes, out);
}

static int print_command_help(const struct lod_cmd *cmd)
{
    printf("lodfs %s - %s\n\nUsage: lodfs %s%s%s\n", cmd->name, cmd->summary, cmd->name,
           *cmd->usage ? " " : "", cmd->usage);
    if (cmd->help) {
        printf("\n%s", cmd->help);
    }
    return LOD_EXIT_OK;
}

/* Letters to insert, remove or replace to get from a to b; words of up to 15 letters. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[16];
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

static int refuse_unknown(const char *word)
{
    const struct lod_cmd *nearest = NULL;
    char text[64];

    for (size_t i = 0; i < COMMANDS && strlen(word) < 16; i++) {
        unsigned d = distance(word, commands[i]->name);
        if (d <= 2 && (!nearest || d < distance(word, nearest->name))) {
            nearest = commands[i];
        }
    }
    lod_escape(word, strlen(word), text, sizeof(text));
    if (nearest) {
        fprintf(stderr, "lodfs: there is no command '%s'; did you mean '%s'?\n", text,
                nearest->name);
    } else {
        fprintf(stderr, "lodfs: %s '%s'; see lodfs --help\n",
                *word == '-' ? "unknown option" : "there is no command", text);
    }
    return LOD_EXIT_USAGE;
}

static int help(int argc, char **argv);

static const struct lod_cmd help_cmd = {
    .name = "help",
    .usage = "[COMMAND]",
    .summary = "explain a command",
    .help = "Without COMMAND: what commands there are. `lodfs COMMAND --help` says the same.\n",
    .run = help,
};

static int help(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stdout);
        return LOD_EXIT_OK;
    }
    if (argc > 2) {
        fputs("lodfs: help takes one COMMAND\n", stderr);
        return LOD_EXIT_USAGE;
    }
    const struct lod_cmd *cmd = strcmp(argv[1], "help") == 0 ? &help_cmd : find(argv[1]);
    return cmd ? print_command_help(cmd) : refuse_unknown(argv[1]);
}

static bool wants_help(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

/* `lodfs STORE MOUNTPOINT -o ...`: the first word is a folder or at least looks like a path. */
static bool is_mount_without_command(int argc, char **argv)
{
    struct stat st;

    return argc > 2 && argv[1][0] != '-' && find("mount") &&
           (strchr(argv[1], '/') || (stat(argv[1], &st) == 0 && S_ISDIR(st.st_mode)));
}

static int run_command(int argc, char **argv)
{
    const struct lod_cmd *cmd = strcmp(argv[1], "help") == 0 ? &help_cmd : find(argv[1]);

    if (cmd && wants_help(argc - 1, argv + 1)) {
        return print_command_help(cmd);
    }
    if (cmd) {
        return cmd->run(argc - 1, argv + 1);
    }
    if (wants_help(argc, argv)) {
        return help(1, argv);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        return lod_cmd_version.run(argc - 1, argv + 1);
    }
    return is_mount_without_command(argc, argv) ? find("mount")->run(argc, argv)
                                                : refuse_unknown(argv[1]);
}

/* What was printed reached its file or pipe? A full disk must not look like success. */
static int flushed(int code)
{
    if ((fflush(stdout) || ferror(stdout)) && code == LOD_EXIT_OK) {
        fprintf(stderr, "lodfs: cannot write to standard output: %m\n");
        return LOD_EXIT_FAILED;
    }
    return code;
}

/* mount.lodfs, mount.fuse.lodfs: links in /sbin that mount(8) looks for. */
static bool is_mount_helper(const char *name)
{
    const char *slash = strrchr(name, '/');

    return strncmp(slash ? slash + 1 : name, "mount.", 6) == 0;
}

int main(int argc, char **argv)
{
    if (argc > 0 && is_mount_helper(argv[0])) {
        return lod_cmd_mount_helper(argc, argv);
    }
    if (argc < 2) {
        print_help(stderr);
        return LOD_EXIT_USAGE;
    }
    return flushed(run_command(argc, argv));
}
