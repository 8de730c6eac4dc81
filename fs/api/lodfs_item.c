/* SPDX-License-Identifier: Apache-2.0 */
/* liblodfs, items by number: paths to numbers, numbers to paths and bytes. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "api/lodfs_error.h"
#include "api/lodfs_order.h"
#include "api/lodfs_shown.h"
#include "memory/flight.h"
#include "sample/item_label.h"
#include "sample/sample_rows.h"

#define NO_ITEM UINT32_MAX

/* Finds files below `top`. Remembers the folder of the last path: neighbouring paths of a list are
 * mostly in one folder, which is then looked up once. */
struct finder {
    struct lod_dataset *dataset;
    struct lod_found top, folder;
    const char *path; /* of the folder, with its last slash; NULL: none was found */
    size_t bytes;
};

static int find_folder(struct finder *finder, const char *path, size_t bytes)
{
    char name[LOD_PATH_MAX + 1];

    if (finder->path && finder->bytes == bytes && memcmp(finder->path, path, bytes) == 0) {
        return 0;
    }
    if (bytes > LOD_PATH_MAX) {
        return -ENAMETOOLONG;
    }
    memcpy(name, path, bytes);
    name[bytes] = '\0';
    finder->path = NULL;
    int error = lod_namespace_walk(finder->dataset, &finder->top, name, &finder->folder);
    error = error || S_ISDIR(finder->folder.node.mode) ? error : -ENOTDIR;
    if (!error) {
        finder->path = path;
        finder->bytes = bytes;
    }
    return error;
}

static int find_item(struct finder *finder, const char *path, uint32_t *ret_item)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    struct lod_found found;
    int error = find_folder(finder, path, (size_t)(name - path));

    if (!error) {
        error = lod_namespace_lookup(finder->dataset, &finder->folder, name, &found);
    }
    if (!error && (!S_ISREG(found.node.mode) || !found.view || found.view->framing)) {
        error = -ENOENT;
    }
    if (!error) {
        *ret_item = found.node.ref;
    }
    return error;
}

/* Returns whether the error means that the path is no file of the store. */
static bool is_elsewhere(int error)
{
    return error == -ENOENT || error == -ENOTDIR || error == -ENAMETOOLONG || error == -ELOOP;
}

/* `top`: the inode number of the folder that the paths begin at. */
static int find_items(struct lodfs_store *store, uint64_t top, const char *paths, size_t count,
                      uint32_t *items, struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    struct finder finder = {.dataset = opened->dataset};
    result = count ? lod_namespace_find(opened->dataset, top, &finder.top) : 0;
    for (size_t i = 0; !result && i < count; i++) {
        result = find_item(&finder, paths, &items[i]);
        if (is_elsewhere(result)) {
            items[i] = NO_ITEM;
            result = 0;
        }
        paths += result ? 0 : strlen(paths) + 1;
    }
    return result ? lod_say_path(error, lod_error_is_temporary(result) ? result : -EIO, paths) : 0;
}

int lodfs_items_of(struct lodfs_store *store, const char *paths, size_t count, uint32_t *items,
                   struct lodfs_error *error)
{
    const struct lod_inode source = {.fidelity = LOD_FULL};

    return find_items(store, lod_inode_pack(source), paths, count, items, error);
}

int lodfs_view_items_of(struct lodfs_store *store, const char *paths, size_t count, uint32_t *items,
                        struct lodfs_error *error)
{
    return find_items(store, LOD_INODE_ROOT, paths, count, items, error);
}

static int say_no_item(struct lodfs_error *error, const struct lod_opened *opened, uint32_t item)
{
    return lod_say(error, -ENOENT, "there is no item %u: this store has %u items, from 0", item,
                   lod_index_items(lod_dataset_index(opened->dataset)));
}

/* The item's own node, and all that is known of it at a fidelity. */
static int find_shown(const struct lod_opened *opened, uint32_t item, int fidelity,
                      struct lod_shown *ret_shown)
{
    uint8_t row[LOD_ROW_BYTES];

    if (!lod_fidelity_name((enum lod_fidelity)fidelity)) {
        return -EINVAL;
    }
    int error = lod_index_item(lod_dataset_index(opened->dataset), item, row);
    error = error ? error : lod_shown_find_node(opened, lod_row_own_node(row), fidelity, ret_shown);
    const struct lod_node *node = &ret_shown->found.node;
    if (!error && (!S_ISREG(node->mode) || node->ref != item)) {
        error = -ENOENT; /* the list of a tree record has no file */
    }
    return error;
}

static int say_item(struct lodfs_error *error, int result, uint32_t item)
{
    const bool told = lod_error_is_temporary(result) || result == -EINVAL || result == -ERANGE;
    const int shown = result == -ETIME ? -ETIMEDOUT : told ? result : -EIO;

    return lod_say(error, shown, "item %u: %s", item, lod_why_file(shown));
}

/* Opens the store and finds the item, or says why not. */
static int get_shown(struct lodfs_store *store, uint32_t item, int fidelity,
                     const struct lod_opened **ret_opened, struct lod_shown *ret_shown,
                     struct lodfs_error *error)
{
    int result = lod_opened_get(store, ret_opened, error);

    if (result) {
        return result;
    }
    if (item >= lod_index_items(lod_dataset_index((*ret_opened)->dataset))) {
        return say_no_item(error, *ret_opened, item);
    }
    result = find_shown(*ret_opened, item, fidelity, ret_shown);
    return result ? say_item(error, result, item) : 0;
}

int lodfs_item_path(struct lodfs_store *store, uint32_t item, char *into, size_t room,
                    struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_shown shown = {0};
    char path[LOD_PATH_MAX + 1];
    int result = get_shown(store, item, LODFS_FULL, &opened, &shown, error);

    if (result) {
        return result;
    }
    result = lod_dataset_path(opened->dataset, &shown.found.node, path);
    if (!result && strlen(path) >= room) {
        result = -ERANGE;
    }
    if (result) {
        return say_item(error, result, item);
    }
    memcpy(into, path, strlen(path) + 1);
    return 0;
}

int lodfs_item_label(struct lodfs_store *store, uint32_t item, int32_t *ret_label,
                     struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_sample_row sample = {.label = LODFS_LABEL_OF_FOLDER};
    uint8_t row[LOD_ROW_BYTES];
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    struct lod_index *index = lod_dataset_index(opened->dataset);
    if (item >= lod_index_items(index)) {
        return say_no_item(error, opened, item);
    }
    result = lod_index_item(index, item, row);
    if (!result && lod_row_has_label(row)) {
        result = lod_index_sample(index, item, &sample);
    }
    if (result) {
        return say_item(error, result, item);
    }
    *ret_label = sample.label;
    return 0;
}

int lodfs_item_bytes(struct lodfs_store *store, uint32_t item, int fidelity, uint64_t *ret_bytes,
                     struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_shown shown = {0};
    int result = get_shown(store, item, fidelity, &opened, &shown, error);

    if (!result) {
        *ret_bytes = shown.contents.bytes;
    }
    return result;
}

int lodfs_item_read(struct lodfs_store *store, uint32_t item, int fidelity, uint64_t offset,
                    void *into, size_t bytes, size_t *ret_bytes, struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_shown shown = {0};
    int result = get_shown(store, item, fidelity, &opened, &shown, error);

    if (result) {
        return result;
    }
    result = lod_shown_read(opened, &shown, offset, into, bytes, ret_bytes);
    return result ? say_item(error, result, item) : 0;
}
