/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves a symbolic link within the list of the source, as the kernel does on disk: name by name,
 * replacing each link on the way by its target. It uses no file system, so the result holds
 * wherever the store is mounted.
 */
#include "pack/source/walk.h"

#include <stdlib.h>
#include <string.h>

#include "backend/format.h"

#define LINKS_MAX 40 /* the kernel's MAXSYMLINKS: a path with more links fails with ELOOP */
#define REST_MAX  (LINKS_MAX * (LOD_TARGET_MAX + 1) + 1)

enum step { GO_ON, STAYS, LEAVES };

struct way {
    const struct lod_source_list *list;
    char at[LOD_PATH_MAX + 1]; /* reached so far, free of links */
    size_t at_bytes;
    char *rest; /* not resolved yet, REST_MAX bytes */
    unsigned links;
};

static void go_up(struct way *way)
{
    while (way->at_bytes && way->at[--way->at_bytes] != '/') {
    }
    way->at[way->at_bytes] = '\0';
}

/* Follows a link: its target stands before the rest of the path. */
static enum step enter_link(struct way *way, const char *target)
{
    size_t bytes = strlen(target), rest_bytes = strlen(way->rest);

    if (target[0] == '/') {
        return LEAVES;
    }
    if (++way->links > LINKS_MAX || bytes + rest_bytes + 2 > REST_MAX) {
        return STAYS;
    }
    memmove(way->rest + bytes + 1, way->rest, rest_bytes + 1);
    memcpy(way->rest, target, bytes);
    way->rest[bytes] = '/';
    return GO_ON;
}

static enum step go_down(struct way *way, const char *name, size_t bytes)
{
    size_t before = way->at_bytes;

    if (before + bytes + 1 > LOD_PATH_MAX) {
        return STAYS; /* the path is too long for any file of the source */
    }
    if (before) {
        way->at[way->at_bytes++] = '/';
    }
    memcpy(way->at + way->at_bytes, name, bytes);
    way->at_bytes += bytes;
    way->at[way->at_bytes] = '\0';
    const struct lod_source *found = lod_source_list_find(way->list, way->at);
    if (!found || found->role != LOD_SOURCE_SYMLINK) {
        return GO_ON;
    }
    way->at_bytes = before;
    way->at[before] = '\0';
    return enter_link(way, found->target);
}

/* Removes the first name from the rest and resolves it. */
static enum step walk_one(struct way *way)
{
    char name[LOD_TARGET_MAX + 1];
    size_t slashes = strspn(way->rest, "/");
    size_t bytes = strcspn(way->rest + slashes, "/");

    if (bytes == 0) {
        return STAYS;
    }
    memcpy(name, way->rest + slashes, bytes);
    memmove(way->rest, way->rest + slashes + bytes, strlen(way->rest + slashes + bytes) + 1);
    if (bytes == 1 && name[0] == '.') {
        return GO_ON;
    }
    if (bytes == 2 && name[0] == '.' && name[1] == '.') {
        if (way->at_bytes == 0) {
            return LEAVES;
        }
        go_up(way);
        return GO_ON;
    }
    return go_down(way, name, bytes);
}

bool lod_link_is_inside(const struct lod_source_list *list, const struct lod_source *link)
{
    struct way way = {.list = list, .rest = calloc(1, REST_MAX)};
    enum step step = way.rest ? GO_ON : LEAVES; /* without memory, the safe answer */

    if (step == GO_ON) {
        way.at_bytes = strlen(link->path);
        memcpy(way.at, link->path, way.at_bytes + 1);
        go_up(&way);
        step = enter_link(&way, link->target);
    }
    while (step == GO_ON) {
        step = walk_one(&way);
    }
    free(way.rest);
    return step == STAYS;
}
