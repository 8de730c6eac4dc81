/* SPDX-License-Identifier: Apache-2.0 */
/* See table_names.h. */
#include "pack/tables/table_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/format.h"

#define ENDING "toc"

/* The longest name of a file in the folder; shards have numbers of up to ten digits. */
#define FILE_ROOM (sizeof("/shard-4294967295.toc") - 1)

int lod_table_names_add(struct lod_table_names *names, uint32_t source)
{
    return LOD_LIST_ADD(names, (struct lod_table_name){.source = source});
}

void lod_table_names_finish(struct lod_table_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->at[i].path);
    }
    free(names->at);
    *names = (struct lod_table_names){0};
}

/* Returns "a/b.toc" for "a/b.npy", or with `whole` "a/b.npy.toc"; NULL if memory is out. */
static char *make_path(const char *path, bool whole)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const int bytes = (int)(!whole && dot && dot != name ? (size_t)(dot - path) : strlen(path));
    char *made = NULL;

    return asprintf(&made, "%.*s." ENDING, bytes, path) < 0 ? NULL : made;
}

static bool fits(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strlen(slash ? slash + 1 : path) <= LOD_NAME_MAX &&
           strlen(path) + FILE_ROOM <= LOD_PATH_MAX;
}

static int by_path(const void *a, const void *b)
{
    const struct lod_table_name *x = *(struct lod_table_name *const *)a;
    const struct lod_table_name *y = *(struct lod_table_name *const *)b;
    const int order =
        x->path && y->path ? strcmp(x->path, y->path) : (x->path != NULL) - (y->path != NULL);

    return order ? order : (x > y) - (x < y);
}

static bool same(const struct lod_table_name *a, const struct lod_table_name *b)
{
    return a->path && b->path && strcmp(a->path, b->path) == 0;
}

/*
 * Resolves conflicts. A stem that is taken or shared is replaced by the whole name. A whole name
 * (`whole`) that is taken is dropped. If tables share a whole name, the first in the list keeps it.
 */
static int settle(struct lod_table_names *names, const struct lod_source_list *list, bool whole,
                  struct lod_table_name **sorted)
{
    for (size_t i = 0; i < names->count; i++) {
        sorted[i] = &names->at[i];
    }
    qsort(sorted, names->count, sizeof(sorted[0]), by_path);
    bool *lose = calloc(names->count, sizeof(lose[0]));
    if (!lose) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < names->count; i++) {
        const bool twin = i + 1 < names->count && same(sorted[i], sorted[i + 1]);
        const bool later = i > 0 && same(sorted[i], sorted[i - 1]);
        const char *path = sorted[i]->path;
        lose[i] = path && (later || (twin && !whole) || !fits(path) ||
                           lod_source_list_find(list, path) != NULL);
    }
    int error = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (lose[i]) {
            free(sorted[i]->path);
            sorted[i]->path = whole ? NULL : make_path(list->at[sorted[i]->source].path, true);
            error = whole || sorted[i]->path ? error : -ENOMEM;
        }
    }
    free(lose);
    return error;
}

int lod_table_names_choose(struct lod_table_names *names, const struct lod_source_list *list)
{
    struct lod_table_name **sorted = calloc(names->count + 1, sizeof(sorted[0]));
    int error = sorted ? 0 : -ENOMEM;

    for (size_t i = 0; !error && i < names->count; i++) {
        names->at[i].path = make_path(list->at[names->at[i].source].path, false);
        error = names->at[i].path ? 0 : -ENOMEM;
    }
    if (!error && names->count) {
        error = settle(names, list, false, sorted);
        error = error ? error : settle(names, list, true, sorted);
    }
    free(sorted);
    return error;
}
