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

const char *lodfs_version(void)
{
    return LODFS_VERSION;
}

int lodfs_fidelity(const char *name)
{
    return (int)lod_fidelity_parse(name, strlen(name));
}

static struct lodfs_entry describe(const struct lod_shown *shown)
{
    const struct lod_node *node = &shown->found.node;
    const struct timespec mtime = lod_mtime_time(node->mtime);

    return (struct lodfs_entry){
        .kind = S_ISDIR(node->mode)   ? LODFS_FOLDER
                : S_ISLNK(node->mode) ? LODFS_SYMLINK
                                      : LODFS_FILE,
        .mode = node->mode & 0777u,
        .bytes = shown->contents.bytes,
        .mtime_seconds = mtime.tv_sec,
        .mtime_nanoseconds = (uint32_t)mtime.tv_nsec,
    };
}

/*
 * Returns the last name of a path. The path was found, so the name has at most LOD_NAME_MAX bytes.
 */
static void last_name(const char *path, char name[LOD_NAME_MAX + 1])
{
    size_t end = strlen(path), at;

    while (end > 0 && path[end - 1] == '/') {
        end--;
    }
    for (at = end; at > 0 && path[at - 1] != '/'; at--) {
    }
    memcpy(name, path + at, end - at);
    name[end - at] = '\0';
}

static int stat_path(struct lodfs_store *store, struct lod_top top, const char *path,
                     struct lodfs_entry *ret_entry, struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_shown shown = {0};
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    result = lod_shown_find(opened, top, path, &shown);
    if (result) {
        return lod_say_path(error, result, path);
    }
    *ret_entry = describe(&shown);
    last_name(path, ret_entry->name);
    return 0;
}

int lodfs_stat(struct lodfs_store *store, const char *path, int fidelity,
               struct lodfs_entry *ret_entry, struct lodfs_error *error)
{
    const struct lod_top top = {.fidelity = fidelity};

    return stat_path(store, top, path, ret_entry, error);
}

int lodfs_view_stat(struct lodfs_store *store, const char *path, struct lodfs_entry *ret_entry,
                    struct lodfs_error *error)
{
    const struct lod_top top = {.mounted = true};

    return stat_path(store, top, path, ret_entry, error);
}

/* Lists the children that are shown, from *cursor on, at most `room` of them. */
struct listing {
    uint64_t *cursor;
    struct lodfs_entry *entries;
    size_t room;
};

static int list(const struct lod_opened *opened, const struct lod_shown *folder,
                const struct listing *listing, size_t *ret_count)
{
    const uint64_t end = lod_namespace_count(&folder->found);
    char name[LOD_NAME_MAX + 1];
    struct lod_shown child;
    size_t count = 0;
    uint64_t at = *listing->cursor;
    int error = 0;

    for (; !error && count < listing->room && at < end; at++) {
        error = lod_shown_child(opened, folder, at, &child, name);
        if (error == -ENOENT) {
            error = 0; /* not shown at this fidelity */
        } else if (!error) {
            listing->entries[count] = describe(&child);
            strcpy(listing->entries[count++].name, name);
        }
    }
    if (!error) {
        *listing->cursor = at;
        *ret_count = count;
    }
    return error;
}

static int list_path(struct lodfs_store *store, struct lod_top top, const char *path,
                     const struct listing *listing, size_t *ret_count, struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_shown folder = {0};
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    result = lod_shown_find(opened, top, path, &folder);
    if (!result && !S_ISDIR(folder.found.node.mode)) {
        result = -ENOTDIR;
    }
    result = result ? result : list(opened, &folder, listing, ret_count);
    return result ? lod_say_path(error, result, path) : 0;
}

int lodfs_list(struct lodfs_store *store, const char *path, int fidelity, uint64_t *cursor,
               struct lodfs_entry *entries, size_t room, size_t *ret_count,
               struct lodfs_error *error)
{
    const struct lod_top top = {.fidelity = fidelity};
    const struct listing listing = {cursor, entries, room};

    return list_path(store, top, path, &listing, ret_count, error);
}

int lodfs_view_list(struct lodfs_store *store, const char *path, uint64_t *cursor,
                    struct lodfs_entry *entries, size_t room, size_t *ret_count,
                    struct lodfs_error *error)
{
    const struct lod_top top = {.mounted = true};
    const struct listing listing = {cursor, entries, room};

    return list_path(store, top, path, &listing, ret_count, error);
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
    result = lod_shown_find_file(opened, (struct lod_top){.fidelity = fidelity}, path, &shown);
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
    result = lod_shown_find(opened, (struct lod_top){.fidelity = LODFS_FULL}, path, &shown);
    if (!result && !S_ISLNK(shown.found.node.mode)) {
        return lod_say_named(error, -EINVAL, "", path, "it is not a symbolic link");
    }
    result = result
                 ? result
                 : lod_index_target(lod_dataset_index(opened->dataset), &shown.found.node, target);
    if (!result && strlen(target) >= room) {
        result = -ERANGE;
    }
    if (result) {
        return lod_say_path(error, result, path);
    }
    memcpy(into, target, strlen(target) + 1);
    return 0;
}
