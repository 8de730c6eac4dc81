/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liblodfs, stores: a thin face of dataset, tree view and reader. lodfs_table.c has the tables.
 */
#include "lodfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dataset.h"
#include "lodfs_error.h"
#include "log.h"
#include "reader.h"
#include "views/view.h"

#define CACHE_BYTES ((uint64_t)64 << 20)
#define MTIME_SHIFT 30 /* a node's mtime: seconds * 2^30 + nanoseconds */

struct lodfs_store {
    struct lod_dataset *dataset;
    struct lod_reader *reader;
    const struct lod_view *view;
};

/* A name that was found, at a fidelity that shows it. */
struct found {
    struct lod_node node;
    struct lod_item item; /* of a file */
    struct lod_plan plan;
};

/* A library prints nothing: what goes wrong is in the caller's lodfs_error. */
__attribute__((constructor)) static void be_quiet(void)
{
    lod_log_setup(LOD_LOG_NONE, false);
}

const char *lodfs_version(void)
{
    return LODFS_VERSION;
}

int lodfs_fidelity(const char *name)
{
    return (int)lod_fidelity_parse(name, strlen(name));
}

int lodfs_store_open(const char *path, uint64_t cache_bytes, struct lodfs_store **ret_store,
                     struct lodfs_error *error)
{
    struct lodfs_store *store = calloc(1, sizeof(*store));
    char why[256] = "out of memory", shown[256];
    int result = store ? lod_dataset_open(path, &store->dataset, why, sizeof(why)) : -ENOMEM;

    if (!result) {
        store->view = lod_view_of(LOD_FORMAT_TREE);
        result = lod_reader_create(store->dataset, cache_bytes ? cache_bytes : CACHE_BYTES,
                                   LOD_WORK_SIZE_DEFAULT, &store->reader);
    }
    if (result) {
        lodfs_store_close(store);
        return lod_say(error, result, "cannot open the store '%s': %s",
                       lod_escape(path, strlen(path), shown, sizeof(shown)), why);
    }
    *ret_store = store;
    return 0;
}

void lodfs_store_close(struct lodfs_store *store)
{
    if (store) {
        lod_reader_destroy(store->reader);
        lod_dataset_close(store->dataset);
        free(store);
    }
}

static int fail(struct lodfs_error *error, int result, const char *path)
{
    char name[256];

    lod_escape(path, strlen(path), name, sizeof(name));
    return lod_say(error, result, "'%s': %s", name,
                   result == -EIO      ? "it cannot be read from the store: damaged"
                   : result == -ENOENT ? "there is no such file in the store at this fidelity"
                                       : strerrordesc_np(-result));
}

/* Fills in what a file is at the fidelity. -ENOENT: it is not shown there. */
static int plan(struct lodfs_store *store, int fidelity, struct found *found)
{
    const enum lod_fidelity at = (enum lod_fidelity)fidelity;
    int result = store->view->shows(store->dataset, &found->node, at);

    if (!result && S_ISREG(found->node.mode)) {
        result = lod_dataset_item(store->dataset, found->node.ref, &found->item);
        result = result ? result
                        : store->view->plan(store->dataset, &found->node, &found->item, at,
                                            &found->plan);
    }
    return result;
}

/* No folder on the way may be hidden either. */
static int check_way(struct lodfs_store *store, const struct lod_node *node, int fidelity)
{
    struct lod_node at = *node;
    int result = 0;

    while (!result && at.number) {
        result = lod_index_node(lod_dataset_index(store->dataset), at.parent, &at);
        result =
            result ? result : store->view->shows(store->dataset, &at, (enum lod_fidelity)fidelity);
    }
    return result;
}

static int find(struct lodfs_store *store, const char *path, int fidelity, struct found *ret_found)
{
    if (!lod_fidelity_name((enum lod_fidelity)fidelity)) {
        return -EINVAL;
    }
    int result = lod_dataset_walk(store->dataset, path, &ret_found->node);
    result = result ? result : check_way(store, &ret_found->node, fidelity);
    return result ? result : plan(store, fidelity, ret_found);
}

static int describe(struct lodfs_store *store, const struct found *found,
                    struct lodfs_entry *ret_entry)
{
    const struct lod_node *node = &found->node;
    struct lodfs_entry entry = {
        .kind = S_ISDIR(node->mode)   ? LODFS_FOLDER
                : S_ISLNK(node->mode) ? LODFS_SYMLINK
                                      : LODFS_FILE,
        .mode = node->mode & 0777u,
        .bytes = S_ISREG(node->mode)   ? found->plan.bytes
                 : S_ISLNK(node->mode) ? node->count
                                       : 0,
        .mtime_seconds = node->mtime >> MTIME_SHIFT,
        .mtime_nanoseconds = (uint32_t)(node->mtime & ((1 << MTIME_SHIFT) - 1)),
    };
    int result =
        node->number ? lod_index_name(lod_dataset_index(store->dataset), node, entry.name) : 0;

    if (!result) {
        *ret_entry = entry;
    }
    return result == -ENOMEM || !result ? result : -EIO;
}

int lodfs_stat(struct lodfs_store *store, const char *path, int fidelity,
               struct lodfs_entry *ret_entry, struct lodfs_error *error)
{
    struct found found = {0};
    int result = find(store, path, fidelity, &found);

    result = result ? result : describe(store, &found, ret_entry);
    return result ? fail(error, result, path) : 0;
}

int lodfs_list(struct lodfs_store *store, const char *path, int fidelity, uint64_t *cursor,
               struct lodfs_entry *entries, size_t room, size_t *ret_count,
               struct lodfs_error *error)
{
    struct found folder = {0}, child;
    size_t count = 0;
    uint64_t at = *cursor;

    int result = find(store, path, fidelity, &folder);
    if (!result && !S_ISDIR(folder.node.mode)) {
        result = -ENOTDIR;
    }
    for (; !result && count < room && at < folder.node.count; at++) {
        result = lod_index_node(lod_dataset_index(store->dataset), folder.node.ref + (uint32_t)at,
                                &child.node);
        result = result ? result : plan(store, fidelity, &child);
        if (result == -ENOENT) {
            result = 0; /* not shown here */
        } else if (!result) {
            result = describe(store, &child, &entries[count++]);
        }
    }
    if (result) {
        return fail(error, result, path);
    }
    *cursor = at;
    *ret_count = count;
    return 0;
}

static void copy(const struct lod_read *read, uint8_t *into)
{
    for (unsigned i = 0; i < read->count; i++) {
        memcpy(into, read->iov[i].iov_base, read->iov[i].iov_len);
        into += read->iov[i].iov_len;
    }
}

/* Reads are answered in steps of what the reader gives at once. */
static int read_range(struct lodfs_store *store, const struct found *found, uint64_t offset,
                      uint8_t *into, size_t bytes)
{
    struct lod_read *read = malloc(sizeof(*read)); /* too large for small threads' stacks */
    size_t done = 0;
    int result = read ? 0 : -ENOMEM;

    while (!result && done < bytes) {
        uint64_t step = bytes - done < LOD_READ_BYTES_MAX ? bytes - done : LOD_READ_BYTES_MAX;
        result =
            lod_reader_read(store->reader, &found->item, &found->plan, offset + done, step, read);
        if (!result) {
            copy(read, into + done);
            done += (size_t)read->bytes;
            lod_read_finish(read);
        }
    }
    free(read);
    return result;
}

int lodfs_read(struct lodfs_store *store, const char *path, int fidelity, uint64_t offset,
               void *into, size_t bytes, size_t *ret_bytes, struct lodfs_error *error)
{
    struct found found = {0};
    int result = find(store, path, fidelity, &found);

    if (!result && !S_ISREG(found.node.mode)) {
        result = S_ISDIR(found.node.mode) ? -EISDIR : -EINVAL;
    }
    if (!result) {
        uint64_t left = offset < found.plan.bytes ? found.plan.bytes - offset : 0;
        bytes = bytes < left ? bytes : (size_t)left;
        result = read_range(store, &found, offset, into, bytes);
    }
    if (result) {
        return fail(error, result, path);
    }
    *ret_bytes = bytes;
    return 0;
}

int lodfs_link(struct lodfs_store *store, const char *path, char *into, size_t room,
               struct lodfs_error *error)
{
    char target[LOD_TARGET_MAX + 1];
    struct found found = {0};
    int result = find(store, path, LODFS_FULL, &found);

    if (!result && (!S_ISLNK(found.node.mode) || room == 0)) {
        result = -EINVAL;
    }
    result =
        result ? result : lod_index_target(lod_dataset_index(store->dataset), &found.node, target);
    if (result) {
        return fail(error, result, path);
    }
    snprintf(into, room, "%s", target);
    return 0;
}
