/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs ls STORE [PATH]: names, sizes and times from the index, without a mount. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/mtime.h"
#include "dataset/dataset.h"
#include "list.h"
#include "terminal/arguments.h"
#include "terminal/open_store.h"

struct ls {
    struct lod_dataset *dataset;
    const char *store, *path;
    struct lod_option_list words; /* of -o */
    enum lod_fidelity fidelity;
    bool long_form, recursive, json, escaped;
    struct lod_json document;   /* with --json */
    bool began;                 /* a heading was printed; print an empty line before the next */
    LOD_LIST(uint32_t) folders; /* a stack of folders still to be listed */
};

#define FIELD(member) LOD_FIELD(struct ls, member)

static const struct lod_option ls_options[] = {
    LOD_ROW_FLAG(FIELD(long_form), 'l', "long", "print mode, size, time and the targets of links"),
    LOD_ROW_FLAG(FIELD(recursive), 'R', "recursive", "list the folders below too"),
    LOD_ROW_FIDELITY(FIELD(fidelity), "fidelity", LOD_ORIGINAL,
                     "print sizes at q1 .. q10, full (default) or original"),
    LOD_ROW_JSON(FIELD(json)),
    LOD_ROW_STORE_WORDS(LOD_FIELD(struct ls, words)),
    LOD_ROW_OPERAND(FIELD(store), "STORE", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_OPERAND(FIELD(path), "PATH", 0, LOD_NAMES_NONE),
    LOD_ROW_END,
};

static bool is_hidden(const struct ls *ls, const struct lod_node *node)
{
    return ls->fidelity == LOD_ORIGINAL && (node->flags & LOD_NODE_VIRTUAL);
}

/* Returns -ENOENT if the file is not shown at this fidelity. */
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

static void print_name(const struct ls *ls, const char *name)
{
    lod_print(stdout, ls->escaped ? "%pE" : "%s", name);
}

static void print_long(const struct lod_node *node, uint64_t bytes)
{
    char mode[11] = "?rwxrwxrwx", when[32] = "";
    const struct timespec mtime = lod_mtime_time(node->mtime);
    struct tm tm;

    mode[0] = S_ISDIR(node->mode) ? 'd' : S_ISLNK(node->mode) ? 'l' : '-';
    for (unsigned bit = 0; bit < 9; bit++) {
        if (!(node->mode >> (8 - bit) & 1)) {
            mode[1 + bit] = '-';
        }
    }
    if (localtime_r(&mtime.tv_sec, &tm)) {
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
    }
    printf("%s %11llu %s ", mode, (unsigned long long)bytes, when);
}

static int print_text(struct ls *ls, const struct lod_node *node, const char *name, uint64_t bytes)
{
    char target[LOD_TARGET_MAX + 1];
    int error = 0;

    if (ls->long_form) {
        print_long(node, bytes);
    }
    print_name(ls, name);
    if (ls->long_form && S_ISLNK(node->mode)) {
        error = lod_index_target(lod_dataset_index(ls->dataset), node, target);
        if (!error) {
            fputs(" -> ", stdout);
            print_name(ls, target);
        }
    }
    putchar('\n');
    return error;
}

/* Entries are printed one by one, so that a store of millions needs no memory for them. */
static int print_json(struct ls *ls, const struct lod_node *node, uint64_t bytes)
{
    char path[LOD_PATH_MAX + 1], target[LOD_TARGET_MAX + 1], mode[8];
    const char *type = S_ISDIR(node->mode) ? "folder" : S_ISLNK(node->mode) ? "symlink" : "file";
    const struct timespec mtime = lod_mtime_time(node->mtime);
    int error = lod_dataset_path(ls->dataset, node, path);

    if (!error && S_ISLNK(node->mode)) {
        error = lod_index_target(lod_dataset_index(ls->dataset), node, target);
    }
    if (error) {
        return error;
    }
    snprintf(mode, sizeof(mode), "%04o", node->mode & 0777u);
    lod_json_object(&ls->document, NULL);
    lod_json_text(&ls->document, "path", path);
    lod_json_text(&ls->document, "type", type);
    lod_json_text(&ls->document, "mode", mode);
    lod_json_number(&ls->document, "bytes", (double)bytes);
    lod_json_number(&ls->document, "mtime", (double)mtime.tv_sec + (double)mtime.tv_nsec / 1e9);
    if (S_ISLNK(node->mode)) {
        lod_json_text(&ls->document, "target", target);
    }
    lod_json_end(&ls->document);
    return 0;
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
    char path[LOD_PATH_MAX + 1];

    if (!ls->recursive || ls->json) {
        return 0;
    }
    int error = lod_dataset_path(ls->dataset, folder, path);
    if (!error) {
        fputs(ls->began ? "\n" : "", stdout);
        print_name(ls, path[0] ? path : ".");
        fputs(":\n", stdout);
        ls->began = true;
    }
    return error;
}

/* Prints the children. Pushes the folders among them in reverse, so that they are popped in order.
 */
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

static int list(struct ls *ls)
{
    struct lod_node start;
    int error = lod_dataset_walk(ls->dataset, ls->path, &start);

    if (error == -ENOENT || error == -ENOTDIR) {
        return lod_fail(LOD_EXIT_FAILED, "there is no '%pE' in the store", ls->path);
    }
    if (!error && ls->json) {
        lod_json_object(&ls->document, NULL);
        lod_json_text(&ls->document, "fidelity", lod_fidelity_name(ls->fidelity));
        lod_json_array(&ls->document, "entries");
    }
    error = error ? error : list_from(ls, &start);
    if (!error && ls->json) {
        lod_json_end(&ls->document);
        lod_json_end(&ls->document);
    }
    return error ? lod_store_failed(ls->store, error) : LOD_EXIT_OK;
}

static int run(int argc, char **argv)
{
    struct ls ls = {.path = "",
                    .fidelity = LOD_FULL,
                    .escaped = isatty(STDOUT_FILENO),
                    .document.out.file = stdout};
    int code = lod_arguments_parse(&lod_cmd_ls, argc, argv, &ls);

    if (code == LOD_EXIT_OK) {
        code = lod_open_store(ls.store, &ls.words, &ls.dataset);
    }
    if (code == LOD_EXIT_OK) {
        code = list(&ls);
        lod_dataset_close(ls.dataset);
    }
    free(ls.folders.at);
    return code;
}

const struct lod_cmd lod_cmd_ls = {
    .name = "ls",
    .summary = "list the files of a store",
    .about = "Lists a folder of the store, or one file. Names are sorted by their bytes. On a "
             "terminal, control characters in names are shown as \\xNN.",
    .options = ls_options,
    .run = run,
};
