/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liblodfs, files by path: their entries, listings, and bytes. lodfs_opened.c opens stores,
 * lodfs_file.c opens files, lodfs_table.c opens tables.
 */
#include "api/lodfs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "api/lodfs_error.h"
#include "api/lodfs_shown.h"
#include "backend/mtime.h"
#include "memory/flight.h"

const char *lodfs_version(void)
{
    return LODFS_VERSION;
}

int lodfs_fidelity(const char *name)
{
    return (int)lod_fidelity_parse(name, strlen(name));
}

static int describe(const struct lod_opened *opened, const struct lod_shown *shown,
                    struct lodfs_entry *ret_entry)
{
    const struct lod_node *node = &shown->node;
    const struct timespec mtime = lod_mtime_time(node->mtime);
    struct lodfs_entry entry = {
        .kind = S_ISDIR(node->mode)   ? LODFS_FOLDER
                : S_ISLNK(node->mode) ? LODFS_SYMLINK
                                      : LODFS_FILE,
        .mode = node->mode & 0777u,
        .bytes = S_ISREG(node->mode)   ? shown->plan.bytes
                 : S_ISLNK(node->mode) ? node->count
                                       : 0,
        .mtime_seconds = mtime.tv_sec,
        .mtime_nanoseconds = (uint32_t)mtime.tv_nsec,
    };
    int error =
        node->number ? lod_index_name(lod_dataset_index(opened->dataset), node, entry.name) : 0;

    if (!error) {
        *ret_entry = entry;
    }
    return !error || lod_error_passes(error) ? error : -EIO;
}

int lodfs_stat(struct lodfs_store *store, const char *path, int fidelity,
               struct lodfs_entry *ret_entry, struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_shown shown = {0};
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    result = lod_shown_find(opened, path, fidelity, &shown);
    result = result ? result : describe(opened, &shown, ret_entry);
    return result ? lod_say_path(error, result, path) : 0;
}

/* Lists the folder's children from *cursor on: up to `room` of those that are shown. */
static int list(const struct lod_opened *opened, const struct lod_node *folder, int fidelity,
                uint64_t *cursor, struct lodfs_entry *entries, size_t room, size_t *ret_count)
{
    struct lod_shown child;
    size_t count = 0;
    uint64_t at = *cursor;
    int error = 0;

    for (; !error && count < room && at < folder->count; at++) {
        error = lod_index_node(lod_dataset_index(opened->dataset), folder->ref + (uint32_t)at,
                               &child.node);
        error = error ? error : lod_shown_plan(opened, fidelity, &child);
        if (error == -ENOENT) {
            error = 0; /* not shown at this fidelity */
        } else if (!error) {
            error = describe(opened, &child, &entries[count++]);
        }
    }
    if (!error) {
        *cursor = at;
        *ret_count = count;
    }
    return error;
}

int lodfs_list(struct lodfs_store *store, const char *path, int fidelity, uint64_t *cursor,
               struct lodfs_entry *entries, size_t room, size_t *ret_count,
               struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_shown folder = {0};
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    result = lod_shown_find(opened, path, fidelity, &folder);
    if (!result && !S_ISDIR(folder.node.mode)) {
        result = -ENOTDIR;
    }
    result =
        result ? result : list(opened, &folder.node, fidelity, cursor, entries, room, ret_count);
    return result ? lod_say_path(error, result, path) : 0;
}

int lodfs_read(struct lodfs_store *store, const char *path, int fidelity, uint64_t offset,
               void *into, size_t bytes, size_t *ret_bytes, struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_shown shown = {0};
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    result = lod_shown_find_file(opened, path, fidelity, &shown);
    result = result ? result : lod_shown_read(opened, &shown, offset, into, bytes, ret_bytes);
    return result ? lod_say_path(error, result, path) : 0;
}

int lodfs_link(struct lodfs_store *store, const char *path, char *into, size_t room,
               struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    char target[LOD_TARGET_MAX + 1];
    struct lod_shown shown = {0};
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    result = lod_shown_find(opened, path, LODFS_FULL, &shown);
    if (!result && !S_ISLNK(shown.node.mode)) {
        return lod_say_named(error, -EINVAL, "", path, "it is not a symbolic link");
    }
    result =
        result ? result : lod_index_target(lod_dataset_index(opened->dataset), &shown.node, target);
    if (!result && strlen(target) >= room) {
        result = -ERANGE;
    }
    if (result) {
        return lod_say_path(error, result, path);
    }
    memcpy(into, target, strlen(target) + 1);
    return 0;
}
