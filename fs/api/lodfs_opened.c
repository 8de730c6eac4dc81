/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens and closes stores; see lodfs_opened.h. A child leaves the parent's state alone until it
 * ends: freeing it would need the parent's locks. Its memory is shared until the parent changes it,
 * and it has at most one descriptor for each open record.
 */
#include "api/lodfs_opened.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/lodfs_error.h"
#include "api/lodfs_process.h"
#include "backend/location.h"
#include "log.h"
#include "mount/mount_table.h"

#define CACHE_BYTES ((uint64_t)64 << 20)

struct lodfs_store {
    atomic_uint refs;
    char *location; /* absolute: the child may be in another folder */
    uint64_t cache_bytes;
    struct lod_id id; /* of the store that was opened first; so is index_hash */
    uint64_t index_hash;
    _Atomic(struct lod_opened *) opened;
};

/* A library prints nothing: messages are returned in lodfs_error. */
__attribute__((constructor)) static void silence_log(void)
{
    lod_log_setup(LOD_LOG_NONE);
}

static void destroy(struct lod_opened *opened)
{
    if (opened) {
        lod_shard_reader_destroy(opened->shards);
        lod_reader_destroy(opened->reader);
        lod_dataset_close(opened->dataset);
        free(opened);
    }
}

/* Opens the store at `location` for this process. `why` gets one sentence on error. */
static int create(const char *location, uint64_t cache_bytes, struct lod_opened **ret_opened,
                  struct lod_why *why)
{
    struct lod_opened *opened = calloc(1, sizeof(*opened));
    const struct lod_open_options open_options = {.exactly = true, .shared = true};
    const struct lod_reader_options options = {
        .cache_bytes = cache_bytes, .work_bytes = LOD_WORK_SIZE_DEFAULT, .threads = false};

    int error = opened ? lod_process_check() : -ENOMEM;
    error = error ? error : lod_dataset_open(location, &open_options, &opened->dataset, why);
    if (!error) {
        opened->generation = lod_process_generation();
        error = lod_reader_create(opened->dataset, &options, &opened->reader);
    }
    error =
        error ? error : lod_shard_reader_create(opened->dataset, opened->reader, &opened->shards);
    if (error) {
        destroy(opened);
        return error;
    }
    *ret_opened = opened;
    return 0;
}

/* ------------------------------------------------------------------------------ the handle */

static void free_handle(struct lodfs_store *store)
{
    if (store) {
        free(store->location);
        free(store);
    }
}

static int create_handle(const char *path, uint64_t cache_bytes, struct lodfs_store **ret_store,
                         struct lod_why *why)
{
    struct lodfs_store *store = calloc(1, sizeof(*store));
    struct lod_opened *opened = NULL;

    int error = store ? create(path, cache_bytes, &opened, why) : -ENOMEM;
    if (!error) {
        store->location = lod_location_is_url(path) ? strdup(path) : realpath(path, NULL);
        error = store->location ? 0 : -errno;
    }
    if (error) {
        destroy(opened);
        free_handle(store);
        return error;
    }
    const struct lod_manifest *manifest = lod_dataset_manifest(opened->dataset);
    store->id = manifest->store_id;
    store->index_hash = manifest->index_hash;
    store->cache_bytes = cache_bytes;
    atomic_init(&store->refs, 1);
    atomic_init(&store->opened, opened);
    *ret_store = store;
    return 0;
}

/*
 * The path may be a store or a mount point. A mount point has no manifest, so the table of mounts
 * is read only if the path is no store.
 */
int lodfs_store_open(const char *path, uint64_t cache_bytes, struct lodfs_store **ret_store,
                     struct lodfs_error *error)
{
    const uint64_t cache = cache_bytes ? cache_bytes : CACHE_BYTES;
    char shown[PATH_MAX], *behind = NULL;
    struct lod_why why = {.text = ""};
    int result = create_handle(path, cache, ret_store, &why);

    if (result == -ENOENT && !lod_location_is_url(path) && !lod_mount_table_store(path, &behind) &&
        behind) {
        result = create_handle(behind, cache, ret_store, &why);
    }
    free(behind);
    return result ? lod_say_named(error, result, "cannot open the store ",
                                  lod_location_show(path, shown, sizeof(shown)),
                                  lod_why_text(&why, result))
                  : 0;
}

const char *lod_opened_location(const struct lodfs_store *store)
{
    return store->location;
}

struct lodfs_store *lod_opened_ref(struct lodfs_store *store)
{
    atomic_fetch_add(&store->refs, 1);
    return store;
}

void lodfs_store_close(struct lodfs_store *store)
{
    if (store && atomic_fetch_sub(&store->refs, 1) == 1) {
        struct lod_opened *opened = atomic_load(&store->opened);
        if (opened->generation == lod_process_generation()) {
            destroy(opened);
        }
        free_handle(store);
    }
}

/* -------------------------------------------------------------------------- after a fork */

static bool is_the_same(const struct lodfs_store *store, const struct lod_opened *opened)
{
    const struct lod_manifest *manifest = lod_dataset_manifest(opened->dataset);

    return memcmp(&manifest->store_id, &store->id, sizeof(store->id)) == 0 &&
           manifest->index_hash == store->index_hash;
}

static int open_again(const struct lodfs_store *store, struct lod_opened **ret_opened,
                      struct lodfs_error *error)
{
    struct lod_opened *opened = NULL;
    struct lod_why why = {.text = ""};
    int result = create(store->location, store->cache_bytes, &opened, &why);

    if (!result && !is_the_same(store, opened)) {
        result = lod_refuse(&why, -ESTALE, "another store is there now");
    }
    if (result) {
        destroy(opened);
        return lod_say(error, result, "cannot open the store '%pE' again after a fork: %s",
                       store->location, lod_why_text(&why, result));
    }
    *ret_opened = opened;
    return 0;
}

int lod_opened_get(struct lodfs_store *store, const struct lod_opened **ret_opened,
                   struct lodfs_error *error)
{
    struct lod_opened *found = atomic_load_explicit(&store->opened, memory_order_acquire), *own;

    if (found->generation != lod_process_generation()) {
        int result = open_again(store, &own, error);
        if (result) {
            return result;
        }
        if (atomic_compare_exchange_strong(&store->opened, &found, own)) {
            found = own;
        } else {
            destroy(own); /* another thread of this process has opened it */
        }
    }
    *ret_opened = found;
    return 0;
}
