/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers nodes breadth first with one sort. FORMAT.md, Numbering.
 *
 * Paths are compared byte by byte. The end of a path is below '/', and '/' is below every other
 * byte. With that order, paths compare like their lists of names, each name by memcmp. Take the
 * first bytes that differ:
 *
 * - If neither is '/' or an end, both are in names of equal index, and the bytes decide.
 * - If one is, that path's name is a prefix of the other's and thus smaller, and so is its byte. A
 *   list that is a prefix of another, such as a folder above it, is smaller too.
 *
 * Hence, in sorted order:
 *
 * 1. A folder stands right before everything below it: depth first, names ascending.
 * 2. Entries of one depth are ordered by the parent's list, then by name. By induction over the
 *    depth that is breadth-first order: parents are numbered by their lists, and the children of
 *    one parent are adjacent, by name.
 *
 * So numbering depth by depth in sorted order, a stable partition, is the breadth-first numbering.
 */
#include "index/tree_order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/format.h"
#include "backend/mtime.h"
#include "backend/name.h"

/* The folder last seen at a depth while walking the sorted entries. */
struct level {
    struct lod_entry entry; /* a path of NULL: none yet */
    size_t path_bytes;
    uint32_t node;  /* its number */
    uint32_t count; /* entries of this depth */
    uint32_t next;  /* number of the next entry */
};

/* Returns the order of a byte: end of path 0, '/' 1, all others above. */
static unsigned rank(char c)
{
    unsigned byte = (unsigned char)c;

    return byte == '\0' ? 0 : byte == '/' ? 1 : byte + 1;
}

static int compare(const void *a, const void *b, void *ctx)
{
    const struct lod_index_input *input = ctx;
    const char *x = lod_index_entry(input, *(const uint32_t *)a).path;
    const char *y = lod_index_entry(input, *(const uint32_t *)b).path;

    while (*x == *y && *x) {
        x++;
        y++;
    }
    return (int)rank(*x) - (int)rank(*y);
}

/* Checks one entry by itself. */
static bool entry_valid(const struct lod_entry *entry)
{
    const bool link = S_ISLNK(entry->mode), folder = S_ISDIR(entry->mode);
    size_t path_bytes = strnlen(entry->path, LOD_PATH_MAX + 1);

    if (!lod_path_valid(entry->path, path_bytes) || (entry->mode & ~(S_IFMT | 0777u)) ||
        !(link || folder || S_ISREG(entry->mode)) || (entry->flags & ~LOD_NODE_FLAGS) ||
        ((entry->flags & LOD_NODE_ALIAS) && !S_ISREG(entry->mode)) ||
        ((entry->flags & LOD_NODE_SPLIT) && (!folder || strchr(entry->path, '/'))) ||
        (path_bytes == 0 && !folder)) {
        return false;
    }
    size_t target = link && entry->target ? strnlen(entry->target, LOD_TARGET_MAX + 1) : 0;
    return link == (entry->target != NULL) && link == (target != 0) && target <= LOD_TARGET_MAX &&
           lod_mtime_valid(entry->mtime);
}

/* Returns whether `entry` is a child of the folder in `above`. */
static bool is_child(const struct lod_entry *entry, size_t path_bytes, const struct level *above)
{
    const char *slash = memrchr(entry->path, '/', path_bytes);
    size_t bytes = slash ? (size_t)(slash - entry->path) : 0;

    return above->entry.path && S_ISDIR(above->entry.mode) && above->path_bytes == bytes &&
           memcmp(above->entry.path, entry->path, bytes) == 0;
}

/* Checks that each sorted entry occurs once and follows its folder. Counts entries by depth. */
static int check_tree(const struct lod_index_input *input, const uint32_t *sorted, uint32_t count,
                      struct level *levels, const char **ret_bad)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct lod_entry entry = lod_index_entry(input, sorted[i]);
        size_t path_bytes = strlen(entry.path);
        size_t depth = lod_path_depth(entry.path, path_bytes);
        *ret_bad = entry.path;
        if (i && strcmp(lod_index_entry(input, sorted[i - 1]).path, entry.path) == 0) {
            return -EEXIST;
        }
        if (depth ? !is_child(&entry, path_bytes, &levels[depth - 1]) : !S_ISDIR(entry.mode)) {
            return -ENOTDIR;
        }
        levels[depth].entry = entry;
        levels[depth].path_bytes = path_bytes;
        levels[depth].count++;
    }
    return 0;
}

static void number_nodes(const struct lod_index_input *input, const uint32_t *sorted,
                         struct level *levels, const struct lod_tree_order *order)
{
    uint32_t first = 0;

    for (size_t depth = 0; depth <= LOD_DEPTH_MAX; depth++) {
        levels[depth].next = first;
        first += levels[depth].count;
    }
    for (uint32_t i = 0; i < order->count; i++) {
        const char *path = lod_index_entry(input, sorted[i]).path;
        struct level *level = &levels[lod_path_depth(path, strlen(path))];
        level->node = level->next++;
        order->entries[level->node] = sorted[i];
        order->parents[level->node] = level == levels ? 0 : level[-1].node;
    }
}

/* Returns the numbers of all valid entries, sorted by path. */
static int sort_entries(const struct lod_index_input *input, uint32_t count, uint32_t **ret_sorted,
                        const char **ret_bad)
{
    uint32_t *sorted = malloc((size_t)count * sizeof(*sorted));

    if (!sorted) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct lod_entry entry = lod_index_entry(input, i);
        if (!entry_valid(&entry)) {
            *ret_bad = entry.path;
            free(sorted);
            return -EINVAL;
        }
        sorted[i] = i;
    }
    /* qsort_r of glibc is a merge sort, so it has no quadratic case;
     * `compare` only reads `input` */
    qsort_r(sorted, count, sizeof(*sorted), compare, (void *)(uintptr_t)input);
    *ret_sorted = sorted;
    return 0;
}

int lod_tree_order_make(const struct lod_index_input *input, struct lod_tree_order *ret_order,
                        const char **ret_bad)
{
    const size_t count = input->entries_count;
    struct lod_tree_order order = {.count = (uint32_t)count};
    struct level *levels = NULL;
    uint32_t *sorted = NULL;

    *ret_bad = "";
    if (count == 0) {
        return -ENOTDIR;
    }
    if (count > LOD_NODES_MAX) {
        return -E2BIG;
    }
    int error = sort_entries(input, order.count, &sorted, ret_bad);
    if (error) {
        return error;
    }
    levels = calloc(LOD_DEPTH_MAX + 1, sizeof(*levels));
    order.entries = malloc(count * sizeof(*order.entries));
    order.parents = malloc(count * sizeof(*order.parents));
    error = levels && order.entries && order.parents
                ? check_tree(input, sorted, order.count, levels, ret_bad)
                : -ENOMEM;
    if (!error) {
        number_nodes(input, sorted, levels, &order);
        *ret_order = order;
    } else {
        lod_tree_order_finish(&order);
    }
    free(sorted);
    free(levels);
    return error;
}

void lod_tree_order_finish(struct lod_tree_order *order)
{
    free(order->entries);
    free(order->parents);
    *order = (struct lod_tree_order){0};
}
