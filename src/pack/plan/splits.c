/* SPDX-License-Identifier: Apache-2.0 */
/* See splits.h. There are few splits, so the search is linear. */
#include "pack/plan/splits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/format.h"

int lod_split_names_mark(const struct lod_split_names *names, struct lod_source_list *list,
                         struct lod_first_error *first_error)
{
    for (unsigned i = 0; i < (names->count ? names->count : 1); i++) {
        const char *name = names->count ? names->at[i] : "";
        struct lod_source *folder = lod_source_list_find(list, name);
        if (!folder || folder->role != LOD_SOURCE_FOLDER || folder->added) {
            return lod_first_error_set(first_error, 0, -ENOENT,
                                       "--splits: '%pE' is no folder in the root of the source",
                                       name);
        }
        folder->split = true;
    }
    return 0;
}

static size_t top_bytes(const char *path)
{
    return strcspn(path, "/");
}

/* Compares the first folders of two paths. */
static int compare_tops(const char *a, const char *b)
{
    const size_t x = top_bytes(a), y = top_bytes(b);
    const int order = memcmp(a, b, x < y ? x : y);

    return order ? order : x < y ? -1 : x > y;
}

static int by_name(const void *a, const void *b)
{
    return compare_tops(*(const char *const *)a, *(const char *const *)b);
}

static bool is_split(const char *path)
{
    const size_t bytes = top_bytes(path);
    char name[LOD_NAME_MAX + 1];

    if (path[bytes] == '\0' || bytes > LOD_NAME_MAX) {
        return false;
    }
    memcpy(name, path, bytes);
    name[bytes] = '\0';
    return lod_split_name(name);
}

static size_t find(const struct lod_splits *splits, const char *path)
{
    size_t at = 0;

    while (at < splits->paths.count && compare_tops(splits->paths.at[at], path) != 0) {
        at++;
    }
    return at;
}

int lod_splits_add(struct lod_splits *splits, const char *path)
{
    if (splits->none || find(splits, path) < splits->paths.count) {
        return 0;
    }
    if (!is_split(path)) {
        splits->none = true;
        splits->paths.count = 0;
        return 0;
    }
    return LOD_LIST_ADD(&splits->paths, path);
}

int lod_splits_add_marked(struct lod_splits *splits, const struct lod_source_list *list,
                          bool *ret_any)
{
    int error = 0;

    for (size_t i = 0; !error && i < list->count; i++) {
        *ret_any = *ret_any || list->at[i].split;
        if (list->at[i].split && list->at[i].path[0]) {
            error = LOD_LIST_ADD(&splits->paths, list->at[i].path);
        }
    }
    return error;
}

void lod_splits_sort(struct lod_splits *splits)
{
    if (splits->paths.count) {
        qsort(splits->paths.at, splits->paths.count, sizeof(splits->paths.at[0]), by_name);
    }
}

uint32_t lod_splits_of(const struct lod_splits *splits, const char *path)
{
    return (uint32_t)find(splits, path);
}

void lod_splits_finish(struct lod_splits *splits)
{
    free(splits->paths.at);
    *splits = (struct lod_splits){0};
}
