/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs ls STORE [PATH]: names, sizes and times from the index, without a mount. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/mtime.h"
#include "dataset/dataset.h"
#include "list.h"
#include "terminal/arguments.h"
#include "shard/shown_file.h"
#include "terminal/open_store.h"
#include "views/namespace_file.h"

/* A folder on the way down: its children from `next` on are still to be entered. */
struct ls_level {
    struct lod_found folder;
    uint64_t next;
    size_t path_bytes; /* of its path, in `shown` */
};

struct ls {
    struct lod_dataset *dataset;
    struct lod_shard_reader *shards; /* only for sizes */
    const char *store, *path;
    struct lod_option_list words; /* of -o */
    enum lod_fidelity fidelity;
    bool mounted, long_form, recursive, json, escaped;
    struct lod_json document; /* with --json */
    bool began;               /* a heading was printed; print an empty line before the next */
    char shown[LOD_PATH_MAX + LOD_NAME_MAX + 2]; /* the path of the current folder */
    size_t shown_bytes;
    LOD_LIST(struct ls_level) way; /* the folders from the start to the current one */
};

#define FIELD(member) LOD_FIELD(struct ls, member)

static const struct lod_option ls_options[] = {
    LOD_ROW_FLAG(FIELD(long_form), 'l', "long", "print mode, size, time and the targets of links"),
    LOD_ROW_FLAG(FIELD(recursive), 'R', "recursive", "list the folders below too"),
    LOD_ROW_FLAG(FIELD(mounted), 'm', "mounted",
                 "PATH is one in a mount, such as q4/cat or tar/q4"),
    LOD_ROW_FIDELITY(FIELD(fidelity), "fidelity", LOD_ORIGINAL,
                     "print sizes at q1 .. q10, full (default) or original"),
    LOD_ROW_JSON(FIELD(json)),
    LOD_ROW_STORE_WORDS(LOD_FIELD(struct ls, words)),
    LOD_ROW_OPERAND(FIELD(store), "STORE|MOUNT", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_OPERAND(FIELD(path), "PATH", 0, LOD_NAMES_NONE),
    LOD_ROW_END,
};

/* ------------------------------------------------------------------------------- entries */

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

/* Appends a name to the path of the current folder. Returns -E2BIG if it is too long. */
static int append(struct ls *ls, const char *name)
{
    const size_t bytes = strlen(name), at = ls->shown_bytes + (ls->shown_bytes > 0);

    if (at + bytes >= sizeof(ls->shown)) {
        return -E2BIG;
    }
    if (ls->shown_bytes) {
        ls->shown[ls->shown_bytes] = '/';
    }
    memcpy(ls->shown + at, name, bytes + 1);
    ls->shown_bytes = at + bytes;
    return 0;
}

static void cut(struct ls *ls, size_t bytes)
{
    ls->shown_bytes = bytes;
    ls->shown[bytes] = '\0';
}

/* Entries are printed one by one, so that a store of millions needs no memory for them. */
static int print_json(struct ls *ls, const struct lod_node *node, const char *path, uint64_t bytes)
{
    char target[LOD_TARGET_MAX + 1], mode[8];
    const char *type = S_ISDIR(node->mode) ? "folder" : S_ISLNK(node->mode) ? "symlink" : "file";
    const struct timespec mtime = lod_mtime_time(node->mtime);
    int error =
        S_ISLNK(node->mode) ? lod_index_target(lod_dataset_index(ls->dataset), node, target) : 0;

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

/* Prints a child of the current folder. */
static int print_child(struct ls *ls, const struct lod_found *child, const char *name)
{
    const size_t folder = ls->shown_bytes;
    struct lod_contents contents;
    int error = lod_namespace_is_live(child)
                    ? -ENOENT
                    : lod_shown_contents(ls->dataset, ls->shards, child, &contents);

    if (error) {
        return error == -ENOENT ? 0 : error;
    }
    if (!ls->json) {
        return print_text(ls, &child->node, name, contents.bytes);
    }
    error = append(ls, name);
    error = error ? error : print_json(ls, &child->node, ls->shown, contents.bytes);
    cut(ls, folder);
    return error;
}

/* ------------------------------------------------------------------------------- folders */

static void print_heading(struct ls *ls)
{
    if (ls->recursive && !ls->json) {
        fputs(ls->began ? "\n" : "", stdout);
        print_name(ls, ls->shown_bytes ? ls->shown : ".");
        fputs(":\n", stdout);
        ls->began = true;
    }
}

/*
 * Prints the children of a folder and makes it the current level, so that its folders are entered
 * next.
 */
static int enter(struct ls *ls, const struct lod_found *folder)
{
    const struct ls_level level = {.folder = *folder, .path_bytes = ls->shown_bytes};
    const uint64_t count = lod_namespace_count(folder);
    char name[LOD_NAME_MAX + 1];
    struct lod_found child;
    int error = 0;

    print_heading(ls);
    for (uint64_t i = 0; !error && i < count; i++) {
        error = lod_namespace_child(ls->dataset, folder, i, &child, name);
        error = error == -ENOENT ? 0 : error ? error : print_child(ls, &child, name);
    }
    return error ? error : LOD_LIST_ADD(&ls->way, level);
}

/* Enters the next folder of the innermost level. If there is none, leaves that level. */
static int advance(struct ls *ls)
{
    struct ls_level *level = &ls->way.at[ls->way.count - 1];
    const uint64_t count = lod_namespace_count(&level->folder);
    char name[LOD_NAME_MAX + 1];
    struct lod_found child;

    cut(ls, level->path_bytes);
    while (level->next < count) {
        int error = lod_namespace_child(ls->dataset, &level->folder, level->next++, &child, name);
        if (!error && S_ISDIR(child.node.mode) && !lod_namespace_is_live(&child)) {
            error = append(ls, name);
            return error ? error : enter(ls, &child);
        }
        if (error && error != -ENOENT) {
            return error;
        }
    }
    ls->way.count--;
    return 0;
}

/* Sets `shown` to the path without needless slashes. */
static int begin_path(struct ls *ls)
{
    char name[LOD_NAME_MAX + 1];
    const char *at = ls->path + strspn(ls->path, "/");
    int error = 0;

    for (; !error && *at; at += strspn(at, "/")) {
        const size_t bytes = strcspn(at, "/"); /* at most LOD_NAME_MAX, since the path was found */
        memcpy(name, at, bytes);
        name[bytes] = '\0';
        error = append(ls, name);
        at += bytes;
    }
    return error;
}

static int list_from(struct ls *ls, const struct lod_found *start)
{
    struct lod_contents contents;
    int error = begin_path(ls);

    if (!error && !S_ISDIR(start->node.mode)) {
        error = lod_shown_contents(ls->dataset, ls->shards, start, &contents);
        return error      ? error
               : ls->json ? print_json(ls, &start->node, ls->shown, contents.bytes)
                          : print_text(ls, &start->node, ls->path, contents.bytes);
    }
    error = error ? error : enter(ls, start);
    while (!error && ls->recursive && ls->way.count) {
        error = advance(ls);
    }
    return error;
}

static int find_below(const struct ls *ls, bool mounted, struct lod_found *ret_found)
{
    const struct lod_inode tree = {.fidelity = ls->fidelity}, root = {.node = LOD_INODE_ROOT};
    struct lod_found top;
    int error = lod_namespace_find(ls->dataset, lod_inode_pack(mounted ? root : tree), &top);

    error = error ? error : lod_namespace_walk(ls->dataset, &top, ls->path, ret_found);
    return error || !lod_namespace_is_live(ret_found) ? error : -ENOENT;
}

/* Finds the path in the source. If it is not there, tries it as a path of a mount, such as
 * q4/a.jpg. */
static int find(struct ls *ls, struct lod_found *ret_found)
{
    int error = find_below(ls, ls->mounted, ret_found);

    if (error == -ENOENT && !ls->mounted && find_below(ls, true, ret_found) == 0) {
        ls->mounted = true;
        error = 0;
    }
    return error;
}

static int list(struct ls *ls)
{
    struct lod_found start;
    int error = lod_shard_reader_create(ls->dataset, NULL, &ls->shards);

    error = error ? error : find(ls, &start);

    if (error == -ENOENT || error == -ENOTDIR) {
        return lod_fail(LOD_EXIT_FAILED, "there is no '%pE' in the store '%pE'", ls->path,
                        ls->store);
    }
    if (!error && ls->json) {
        lod_fail_as_json(false);
        lod_json_object(&ls->document, NULL);
        if (!ls->mounted) {
            lod_json_text(&ls->document, "fidelity", lod_fidelity_name(ls->fidelity));
        }
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
        lod_shard_reader_destroy(ls.shards);
        lod_dataset_close(ls.dataset);
    }
    free(ls.way.at);
    return code;
}

const struct lod_cmd lod_cmd_ls = {
    .name = "ls",
    .summary = "list the files of a store",
    .about = "Lists a folder of the store, or one file. Names are sorted by their bytes. On a "
             "terminal, control characters in names are shown as \\xNN.\n\n"
             "PATH is a path in the source. With -m, or if the source has no such path, it is one "
             "below a mount point, such as tar/q4.",
    .options = ls_options,
    .run = run,
};
