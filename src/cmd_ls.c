/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs ls STORE [PATH]: names, sizes and times from the index, without a mount. */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dataset.h"
#include "list.h"
#include "log.h"
#include "open_store.h"
#include "report.h"
#include "usage.h"

enum { OPT_FIDELITY = 256, OPT_JSON };

static const struct option long_options[] = {
    {"long", no_argument, NULL, 'l'},
    {"recursive", no_argument, NULL, 'R'},
    {"fidelity", required_argument, NULL, OPT_FIDELITY},
    {"json", no_argument, NULL, OPT_JSON},
    {0},
};

static const char help_text[] =
    "Lists a folder of the store, or one file. Names come sorted by their bytes; on\n"
    "a terminal control characters in them are shown as \\xNN.\n"
    "\n"
    "  -l, --long         mode, size, time and where links point to\n"
    "  -R, --recursive    folders below too\n"
    "      --fidelity=F   sizes at q1 .. q10, full (default) or original\n"
    "      --json         one JSON document\n";

struct ls {
    struct lod_dataset *dataset;
    const char *store, *path;
    enum lod_fidelity fidelity;
    bool long_form, recursive, json, escaped;
    bool began;                 /* an entry was printed: a comma or an empty line comes first */
    LOD_LIST(uint32_t) folders; /* still to be listed, the next one last */
};

static bool is_hidden(const struct ls *ls, const struct lod_node *node)
{
    return ls->fidelity == LOD_ORIGINAL && (node->flags & LOD_NODE_VIRTUAL);
}

/* -ENOENT: not shown at this fidelity. */
static int size_of(const struct ls *ls, const struct lod_node *node, uint64_t *ret_bytes)
{
    struct lod_item item;
    struct lod_plan plan = {0};
    int error = 0;

    *ret_bytes = S_ISLNK(node->mode) ? node->count : 0;
    if (!S_ISREG(node->mode)) {
        return 0;
    }
    error = lod_dataset_item(ls->dataset, node->ref, &item);
    if (!error) {
        error = lod_codec_plan(item.codec, item.row, LOD_FORMAT_TREE, ls->fidelity, &plan);
    }
    *ret_bytes = plan.bytes;
    return error;
}

static const char *shown(const struct ls *ls, const char *name, char *text, size_t room)
{
    return ls->escaped ? lod_escape(name, strlen(name), text, room) : name;
}

static void print_long(const struct lod_node *node, uint64_t bytes)
{
    char mode[11] = "?rwxrwxrwx", when[32] = "";
    time_t seconds = (time_t)lod_mtime_seconds(node->mtime);
    struct tm tm;

    mode[0] = S_ISDIR(node->mode) ? 'd' : S_ISLNK(node->mode) ? 'l' : '-';
    for (unsigned bit = 0; bit < 9; bit++) {
        if (!(node->mode >> (8 - bit) & 1)) {
            mode[1 + bit] = '-';
        }
    }
    if (localtime_r(&seconds, &tm)) {
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
    }
    printf("%s %11llu %s ", mode, (unsigned long long)bytes, when);
}

static int print_text(struct ls *ls, const struct lod_node *node, const char *name, uint64_t bytes)
{
    char target[LOD_TARGET_MAX + 1], text[4 * LOD_TARGET_MAX + 1];
    int error = 0;

    if (ls->long_form) {
        print_long(node, bytes);
    }
    fputs(shown(ls, name, text, sizeof(text)), stdout);
    if (ls->long_form && S_ISLNK(node->mode)) {
        error = lod_index_target(lod_dataset_index(ls->dataset), node, target);
        if (!error) {
            printf(" -> %s", shown(ls, target, text, sizeof(text)));
        }
    }
    putchar('\n');
    return error;
}

static int fill_json(struct ls *ls, const struct lod_node *node, uint64_t bytes, cJSON *entry)
{
    char path[LOD_PATH_MAX + 1], target[LOD_TARGET_MAX + 1], mode[8];
    const char *type = S_ISDIR(node->mode) ? "folder" : S_ISLNK(node->mode) ? "symlink" : "file";
    double mtime =
        (double)lod_mtime_seconds(node->mtime) + (double)lod_mtime_nanoseconds(node->mtime) / 1e9;
    int error = lod_dataset_path(ls->dataset, node, path);

    snprintf(mode, sizeof(mode), "%04o", node->mode & 0777u);
    error = error ? error : lod_report_json_name(entry, "path", path);
    if (!error && (!cJSON_AddStringToObject(entry, "type", type) ||
                   !cJSON_AddStringToObject(entry, "mode", mode) ||
                   !cJSON_AddNumberToObject(entry, "bytes", (double)bytes) ||
                   !cJSON_AddNumberToObject(entry, "mtime", mtime))) {
        error = -ENOMEM;
    }
    if (!error && S_ISLNK(node->mode)) {
        error = lod_index_target(lod_dataset_index(ls->dataset), node, target);
        error = error ? error : lod_report_json_name(entry, "target", target);
    }
    return error;
}

/* Entries are printed one by one, so that a store of millions needs no memory for them. */
static int print_json(struct ls *ls, const struct lod_node *node, uint64_t bytes)
{
    cJSON *entry = cJSON_CreateObject();
    int error = entry ? fill_json(ls, node, bytes, entry) : -ENOMEM;
    char *text = error ? NULL : cJSON_PrintUnformatted(entry);

    if (text) {
        printf("%s\n    %s", ls->began ? "," : "", text);
        ls->began = true;
    }
    cJSON_free(text);
    cJSON_Delete(entry);
    return error ? error : text ? 0 : -ENOMEM;
}

static int print_node(struct ls *ls, const struct lod_node *node, const char *name)
{
    uint64_t bytes = 0;
    int error = is_hidden(ls, node) ? -ENOENT : size_of(ls, node, &bytes);

    if (error == -ENOENT) {
        return 0;
    }
    if (error) {
        return error;
    }
    return ls->json ? print_json(ls, node, bytes) : print_text(ls, node, name, bytes);
}

static int push_folder(struct ls *ls, uint32_t number)
{
    return LOD_LIST_ADD(&ls->folders, number);
}

static int print_heading(struct ls *ls, const struct lod_node *folder)
{
    char path[LOD_PATH_MAX + 1], text[4 * LOD_PATH_MAX + 1];

    if (!ls->recursive || ls->json) {
        return 0;
    }
    int error = lod_dataset_path(ls->dataset, folder, path);
    if (!error) {
        printf("%s%s:\n", ls->began ? "\n" : "",
               path[0] ? shown(ls, path, text, sizeof(text)) : ".");
        ls->began = true;
    }
    return error;
}

/* Prints the children; those that are folders are pushed last first, to be popped in order. */
static int list_folder(struct ls *ls, const struct lod_node *folder)
{
    struct lod_index *index = lod_dataset_index(ls->dataset);
    char name[LOD_NAME_MAX + 1];
    struct lod_node child;
    int error = print_heading(ls, folder);

    for (uint32_t i = 0; !error && i < folder->count; i++) {
        error = lod_index_node(index, folder->ref + i, &child);
        error = error ? error : lod_index_name(index, &child, name);
        error = error ? error : print_node(ls, &child, name);
    }
    for (uint32_t i = folder->count; !error && ls->recursive && i > 0; i--) {
        error = lod_index_node(index, folder->ref + i - 1, &child);
        if (!error && S_ISDIR(child.mode) && !is_hidden(ls, &child)) {
            error = push_folder(ls, child.number);
        }
    }
    return error;
}

static int list_from(struct ls *ls, const struct lod_node *start)
{
    struct lod_node folder;

    if (!S_ISDIR(start->mode)) {
        return print_node(ls, start, ls->path);
    }
    int error = list_folder(ls, start);
    while (!error && ls->folders.count) {
        uint32_t number = ls->folders.at[--ls->folders.count];
        error = lod_index_node(lod_dataset_index(ls->dataset), number, &folder);
        error = error ? error : list_folder(ls, &folder);
    }
    return error;
}

static int refuse_path(const struct ls *ls)
{
    char path[4 * LOD_PATH_MAX + 1];

    lod_escape(ls->path, strlen(ls->path), path, sizeof(path));
    fprintf(stderr, "lodfs: there is no '%s' in the store\n", path);
    return LOD_EXIT_FAILED;
}

static int list(struct ls *ls)
{
    struct lod_node start;
    int error = lod_dataset_walk(ls->dataset, ls->path, &start);

    if (error == -ENOENT || error == -ENOTDIR) {
        return refuse_path(ls);
    }
    if (!error && ls->json) {
        printf("{\n  \"fidelity\": \"%s\",\n  \"entries\": [", lod_fidelity_name(ls->fidelity));
    }
    error = error ? error : list_from(ls, &start);
    if (!error && ls->json) {
        printf("%s]\n}\n", ls->began ? "\n  " : "");
    }
    return error ? lod_store_failed(ls->store, error) : LOD_EXIT_OK;
}

static int usage(const char *sentence)
{
    fprintf(stderr, "lodfs: %s; see lodfs ls --help\n", sentence);
    return LOD_EXIT_USAGE;
}

static int parse(struct ls *ls, int argc, char **argv)
{
    int option;

    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":lR", long_options, NULL)) != -1) {
        switch (option) {
        case 'l':
            ls->long_form = true;
            break;
        case 'R':
            ls->recursive = true;
            break;
        case OPT_JSON:
            ls->json = true;
            break;
        case OPT_FIDELITY:
            ls->fidelity = lod_fidelity_parse(optarg, strlen(optarg));
            if (!ls->fidelity) {
                return usage("--fidelity takes q1 .. q10, full or original");
            }
            break;
        default:
            return lod_usage_option("ls", option, argv);
        }
    }
    if (argc - optind < 1 || argc - optind > 2) {
        return usage("ls takes a STORE and at most one PATH in it");
    }
    ls->store = argv[optind];
    ls->path = argc - optind == 2 ? argv[optind + 1] : "";
    return LOD_EXIT_OK;
}

static int run(int argc, char **argv)
{
    struct ls ls = {.fidelity = LOD_FULL, .escaped = isatty(STDOUT_FILENO)};
    int code = parse(&ls, argc, argv);

    if (code == LOD_EXIT_OK) {
        code = lod_open_store(ls.store, &ls.dataset);
    }
    if (code == LOD_EXIT_OK) {
        code = list(&ls);
        lod_dataset_close(ls.dataset);
    }
    free(ls.folders.at);
    return code;
}

const struct lod_cmd lod_cmd_ls = {.name = "ls",
                                   .usage = "[-l] [-R] [--fidelity=F] [--json] STORE [PATH]",
                                   .summary = "list what a store holds",
                                   .help = help_text,
                                   .run = run};
