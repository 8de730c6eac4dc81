/* SPDX-License-Identifier: Apache-2.0 */
/* See splits.h. There are few splits, so the search is linear. */
#include "pack/plan/splits.h"

#include <stdlib.h>
#include <string.h>

#include "backend/format.h"
#include "sample/sample_split.h"

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
