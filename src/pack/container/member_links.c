/* SPDX-License-Identifier: Apache-2.0 */
/* See member_links.h. All names of a file have the same place, by which they are joined. */
#include "pack/container/member_links.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pack/container/member_path.h"
#include "pack/source/walk.h"

#define STEPS_MAX 40u /* from a link to a link; tar programs name the file itself */
#define NO_FILE   "a hard link to a file that the container does not have"

void lod_member_link_target(const struct lod_members *members, const struct lod_member *link,
                            char into[LOD_PATH_MAX + 1])
{
    const char *why = NULL;

    if (lod_member_path(members->folder, link->target, link->target_bytes, into, &why)) {
        into[0] = '\0';
    }
}

/* The key of a search in the sorted list. */
struct wanted {
    const char *path;
    const struct lod_source *container;
    bool left_out;
};

static int compare(const void *key, const void *element)
{
    const struct wanted *wanted = key;
    const struct lod_source *source = element;
    int order = strcmp(wanted->path, source->path);

    order = order ? order : wanted->left_out - (source->role == LOD_SOURCE_LEFT_OUT);
    if (order || !source->place) {
        return order ? order : 1;
    }
    return (wanted->container > source->place->container) -
           (wanted->container < source->place->container);
}

static struct lod_source *find(const struct lod_source_list *list, const char *path,
                               const struct lod_source *container)
{
    struct wanted wanted = {.path = path, .container = container};
    struct lod_source *found = bsearch(&wanted, list->at, list->count, sizeof(*found), compare);

    wanted.left_out = true;
    return found ? found : bsearch(&wanted, list->at, list->count, sizeof(*found), compare);
}

/*
 * Returns whether this is a hard link, left out or not, whose file has to be found. Other sources
 * that are left out have no target, or are symbolic links.
 */
static bool is_link(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_HARD_LINK ||
           (source->role == LOD_SOURCE_LEFT_OUT && source->shared && source->target);
}

/* Returns the file or symbolic link of a hard link; NULL if there is none. Only files have runs. */
static struct lod_source *file_of(const struct lod_source_list *list, struct lod_source *link)
{
    const struct lod_source *container = link->place->container;
    struct lod_source *at = link;

    for (unsigned i = 0; at && is_link(at) && i < STEPS_MAX; i++) {
        at = find(list, at->target, container);
    }
    return at && at->place && !is_link(at) && (at->place->runs || at->target) ? at : NULL;
}

static void leave_out(struct lod_source *link, const char *why)
{
    link->role = LOD_SOURCE_LEFT_OUT;
    link->target = NULL;
    link->why = why;
}

static int refuse(struct lod_members *members, struct lod_source *link)
{
    const struct lod_member_place *place = link->place;

    if (members->first_error->skip_unreadable) {
        leave_out(link, NO_FILE);
        return 0;
    }
    return lod_first_error_set(members->first_error, 0, -EINVAL,
                               "%pE: record %" PRIu32 " at byte %" PRIu64 ": '%pE' is " NO_FILE
                               "; --skip-unreadable leaves it out",
                               place->container->path, place->record, place->at, link->path);
}

static int resolve(struct lod_members *members, struct lod_source *link)
{
    struct lod_source *file = file_of(&members->list, link);

    if (!file) {
        return refuse(members, link);
    }
    const bool symlink = file->target != NULL;
    link->role = symlink ? LOD_SOURCE_SYMLINK : LOD_SOURCE_FILE;
    link->target = symlink ? file->target : NULL;
    link->place = file->place;
    link->bytes = lod_member_place_bytes(file->place);
    file->shared = link->shared = !symlink;
    link->mode = file->mode;
    link->mtime = file->mtime;
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct lod_source *x = *(struct lod_source *const *)a;
    const struct lod_source *y = *(struct lod_source *const *)b;
    const uintptr_t x_place = (uintptr_t)x->place, y_place = (uintptr_t)y->place;

    return x_place != y_place ? (x_place < y_place ? -1 : 1)
                              : (x > y) - (x < y); /* both are in one array in order of paths */
}

static void join(const struct lod_source_list *list, struct lod_source **names, size_t count)
{
    qsort(names, count, sizeof(names[0]), by_place);
    for (size_t i = 1, first = 0; i < count; i++) {
        if (names[i]->place != names[first]->place) {
            first = i;
            continue;
        }
        names[i]->role = LOD_SOURCE_HARD_LINK;
        names[i]->owner = (uint32_t)(names[first] - list->at);
        names[first]->names++;
    }
}

int lod_member_links_join(struct lod_members *members)
{
    struct lod_source_list *list = &members->list;
    size_t count = 0;
    int error = 0;

    for (size_t i = 0; !error && i < list->count; i++) {
        error = list->at[i].role == LOD_SOURCE_HARD_LINK ? resolve(members, &list->at[i]) : 0;
    }
    struct lod_source **names = error ? NULL : malloc((list->count + 1) * sizeof(names[0]));
    if (!names) {
        return error ? error : -ENOMEM;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].role == LOD_SOURCE_FILE && list->at[i].shared) {
            names[count++] = &list->at[i];
        }
    }
    join(list, names, count);
    free(names);
    return 0;
}

static int refuse_leaving(struct lod_members *members, struct lod_source *link)
{
    const struct lod_member_place *place = link->place;

    if (members->first_error->skip_unreadable) {
        leave_out(link, "a symbolic link that leaves the source");
        return 0;
    }
    return lod_first_error_set(members->first_error, 0, -EXDEV,
                               "%pE: record %" PRIu32 " at byte %" PRIu64
                               ": '%pE' is a symbolic link that leaves the source, to '%pE'; make "
                               "the tar with --dereference, or leave such links out by "
                               "--skip-unreadable",
                               place->container->path, place->record, place->at, link->path,
                               link->target);
}

int lod_member_links_check(struct lod_members *members)
{
    struct lod_source_list *list = &members->list;
    int error = 0;

    for (size_t i = 0; !error && i < list->count; i++) {
        struct lod_source *link = &list->at[i];
        if (link->role == LOD_SOURCE_SYMLINK && !lod_link_is_inside(list, link)) {
            error = refuse_leaving(members, link);
        }
    }
    return error;
}
