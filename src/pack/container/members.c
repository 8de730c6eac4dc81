/* SPDX-License-Identifier: Apache-2.0 */
/* See members.h. */
#include "pack/container/members.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pack/container/member_links.h"
#include "pack/container/member_path.h"
#include "text.h"

#define FOLDER_MODE 0755

static int refuse_path(const struct lod_members *members, const struct lod_member *member,
                       int error, const char *why)
{
    char path[LOD_PATH_MAX + 1];
    const size_t bytes = strnlen(member->path, member->path_bytes);
    const size_t kept = bytes < LOD_PATH_MAX ? bytes : LOD_PATH_MAX;

    memcpy(path, member->path, kept);
    path[kept] = '\0';
    return lod_first_error_set(
        members->first_error, 0, error, "%pE: record %" PRIu32 " at byte %" PRIu64 ": '%pE' %s",
        members->container->path, members->walk->record, members->walk->at, path, why);
}

/* Copies the place of a member, whose runs may be those of the walker's buffers. */
static int keep_place(struct lod_members *members, const struct lod_member *member,
                      const struct lod_member_place **ret_place)
{
    const size_t bytes =
        sizeof(struct lod_member_place) + member->runs_count * sizeof(struct lod_run);
    const struct lod_member_place head = {.container = members->container,
                                          .at = members->walk->at,
                                          .record = members->walk->record,
                                          .sum_at = member->sum_at,
                                          .sum_bytes = member->sum_bytes,
                                          .sum = member->sum,
                                          .label = member->label,
                                          .summed = member->summed,
                                          .ended = member->ended,
                                          .runs = member->runs_count,
                                          .head_bytes = (uint8_t)member->head_bytes};
    struct lod_member_place *place = malloc(bytes);
    const void *kept = NULL;

    if (!place) {
        return -ENOMEM;
    }
    memcpy(place, &head, sizeof(head));
    if (member->head_bytes) {
        memcpy(place->head, member->head, member->head_bytes);
    }
    if (member->runs_count) {
        memcpy(place->run, member->runs, member->runs_count * sizeof(struct lod_run));
    }
    int error = lod_source_list_keep(&members->list, place, bytes, &kept);
    free(place);
    *ret_place = kept;
    return error;
}

static bool has_name(const struct lod_member *member)
{
    return member->kind == LOD_MEMBER_FILE || member->kind == LOD_MEMBER_LINK ||
           member->kind == LOD_MEMBER_SYMLINK;
}

/* Copies the text of a symbolic link. */
static int copy_target(const struct lod_member *member, char into[LOD_PATH_MAX + 1],
                       const char **ret_why)
{
    const size_t bytes = member->target_bytes;

    if (bytes == 0 || bytes > LOD_TARGET_MAX || memchr(member->target, '\0', bytes)) {
        *ret_why = "is a symbolic link whose target has no bytes, a byte 0, or over 3,825 bytes, "
                   "the store's limit";
        return -EINVAL;
    }
    memcpy(into, member->target, bytes);
    into[bytes] = '\0';
    return 0;
}

int lod_members_add(void *ctx, const struct lod_member *member)
{
    static const uint8_t roles[] = {[LOD_MEMBER_FILE] = LOD_SOURCE_FILE,
                                    [LOD_MEMBER_FOLDER] = LOD_SOURCE_FOLDER,
                                    [LOD_MEMBER_LINK] = LOD_SOURCE_HARD_LINK,
                                    [LOD_MEMBER_SYMLINK] = LOD_SOURCE_SYMLINK,
                                    [LOD_MEMBER_OTHER] = LOD_SOURCE_LEFT_OUT};
    struct lod_members *members = ctx;
    char path[LOD_PATH_MAX + 1], target[LOD_PATH_MAX + 1];
    const char *why = NULL;

    int error = lod_member_path(members->folder, member->path, member->path_bytes, path, &why);
    if (!error && has_name(member) && !path[strlen(members->folder)]) {
        error = -EINVAL;
        why = "is a file without a name";
    }
    if (!error && member->kind == LOD_MEMBER_SYMLINK) {
        error = copy_target(member, target, &why);
    }
    if (error) {
        return refuse_path(members, member, error, why);
    }
    why = lod_filter_why_below(members->filter, path, member->kind == LOD_MEMBER_FOLDER);
    struct lod_source source = {.path = path,
                                .role = why ? LOD_SOURCE_LEFT_OUT : roles[member->kind],
                                .why = why ? why : member->why,
                                .folder = member->kind == LOD_MEMBER_FOLDER,
                                .shared = member->kind == LOD_MEMBER_LINK,
                                .special = why || member->kind == LOD_MEMBER_OTHER,
                                .mode = member->mode,
                                .mtime = member->mtime,
                                .names = 1};
    if (member->kind == LOD_MEMBER_LINK) {
        lod_member_link_target(members, member, target);
    }
    if (source.shared || member->kind == LOD_MEMBER_SYMLINK) {
        source.target = target; /* of one that is left out too: hard links to it need it */
    }
    error = keep_place(members, member, &source.place);
    if (!error) {
        source.bytes = why ? 0 : lod_member_place_bytes(source.place);
        error = lod_source_list_add(&members->list, &source);
    }
    return error;
}

int lod_members_leave_out(struct lod_members *members, const char *path, const char *why)
{
    const void *kept = NULL;
    int error = lod_source_list_keep(&members->list, why, strlen(why) + 1, &kept);
    const struct lod_source source = {
        .path = path, .role = LOD_SOURCE_LEFT_OUT, .why = kept, .names = 1};

    return error ? error : lod_source_list_add(&members->list, &source);
}

/* ---------------------------------------------------------------------------------- the tree */

/* Adds a folder that a member needs. It has `names` 0 and the member's place. */
static bool is_implied(const struct lod_source *source)
{
    return source->names == 0;
}

static int by_path_and_place(const void *a, const void *b)
{
    const struct lod_source *x = a, *y = b;
    const bool x_out = x->role == LOD_SOURCE_LEFT_OUT, y_out = y->role == LOD_SOURCE_LEFT_OUT;
    int order = strcmp(x->path, y->path);

    order = order ? order : x_out - y_out; /* so that sources of the same path are neighbours */
    if (order || !x->place || !y->place) {
        return order ? order : (x->place != NULL) - (y->place != NULL);
    }
    if (is_implied(x) != is_implied(y)) {
        return is_implied(x) - is_implied(y);
    }
    if (x->place->container != y->place->container) {
        return x->place->container < y->place->container ? -1 : 1; /* of one array */
    }
    return x->place->record < y->place->record ? -1 : x->place->record > y->place->record;
}

static void sort(struct lod_source_list *list)
{
    if (list->count) {
        qsort(list->at, list->count, sizeof(list->at[0]), by_path_and_place);
    }
}

/* Adds the folders of the path at `index`, except those that the previous path `before` has too. */
static int add_folders(struct lod_source_list *list, const char *before, size_t index)
{
    const struct lod_member_place *place = list->at[index].place; /* the root has none */
    struct lod_source folder = {.role = LOD_SOURCE_FOLDER,
                                .place = place,
                                .mode = FOLDER_MODE,
                                .mtime = place ? place->container->mtime : 0};
    const char *path = list->at[index].path;
    char above[LOD_PATH_MAX + 1];
    int error = 0;

    for (const char *slash = strchr(path, '/'); !error && slash; slash = strchr(slash + 1, '/')) {
        const size_t bytes = (size_t)(slash - path);
        if (strncmp(before, path, bytes + 1) != 0) {
            memcpy(above, path, bytes);
            above[bytes] = '\0';
            folder.path = above;
            error = lod_source_list_add(list, &folder);
        }
    }
    return error;
}

static int add_all_folders(struct lod_source_list *list)
{
    const size_t count = list->count;
    const char *before = "";
    int error = 0;

    for (size_t i = 0; !error && i < count; i++) {
        const char *path = list->at[i].path; /* stays where it is if the list grows */
        if (list->at[i].role != LOD_SOURCE_LEFT_OUT) {
            error = add_folders(list, before, i);
            before = path;
        }
    }
    return error;
}

/* Returns whether two sources may have one path: both are folders, or one is left out. */
static bool agree(const struct lod_source *a, const struct lod_source *b)
{
    return strcmp(a->path, b->path) != 0 || a->role == LOD_SOURCE_LEFT_OUT ||
           b->role == LOD_SOURCE_LEFT_OUT ||
           (a->role == LOD_SOURCE_FOLDER && b->role == LOD_SOURCE_FOLDER);
}

/*
 * Returns whether two equal names are not the container's own: one of the files got its ending
 * here, or both were added beside pictures.
 */
static bool is_made(const struct lod_members *members, const struct lod_source *a,
                    const struct lod_source *b)
{
    return (a->place && b->place && a->place->ended != b->place->ended) ||
           (members->beside && lod_ends_with(a->path, members->beside));
}

/*
 * Within a container, a conflict between its own names is reported before one with an added name.
 */
static void find_twice(const struct lod_members *members, struct lod_members_twice *twice)
{
    const struct lod_source_list *list = &members->list;

    *twice = (struct lod_members_twice){0};
    for (size_t i = 1; i < list->count; i++) {
        const struct lod_source *a = &list->at[i - 1], *b = &list->at[i];
        if (agree(a, b)) {
            continue;
        }
        const bool containers = a->place && b->place && a->place->container != b->place->container;
        const bool beside = !containers && is_made(members, a, b);
        if (!twice->first || (twice->containers && !containers) ||
            (twice->beside && !beside && !containers)) {
            *twice = (struct lod_members_twice){
                .first = a, .second = b, .containers = containers, .beside = beside};
        }
    }
}

/* Keeps the first folder of each path, which is one of the container if there is one. */
static void drop_folders(struct lod_source_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        struct lod_source *source = &list->at[i];
        const struct lod_source *before = kept ? &list->at[kept - 1] : NULL;
        const bool again = before && before->role == LOD_SOURCE_FOLDER &&
                           source->role == LOD_SOURCE_FOLDER &&
                           strcmp(before->path, source->path) == 0;
        if (!again) {
            source->names = 1;
            source->place = source->role == LOD_SOURCE_FOLDER ? NULL : source->place;
            list->at[kept++] = *source;
        }
    }
    list->count = kept;
}

int lod_members_make_tree(struct lod_members *members, const struct lod_source *root,
                          struct lod_members_twice *ret_twice)
{
    struct lod_source_list *list = &members->list;
    int error = lod_source_list_add(list, root);

    sort(list);
    error = error ? error : add_all_folders(list);
    sort(list);
    if (!error) {
        find_twice(members, ret_twice);
        if (!ret_twice->first) {
            drop_folders(list);
            error = lod_member_links_join(members);
            error = error ? error : lod_member_links_check(members);
        }
    }
    return error;
}
