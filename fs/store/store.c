/* SPDX-License-Identifier: Apache-2.0 */
/* The table of store back ends and the checks around their calls; see store.h. */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct lod_store_backend *const backends[] = {
    &lod_store_dir, /* takes everything: keep it last */
};

struct lod_store {
    const struct lod_store_backend *backend;
    void *state;
    char *location;
};

struct lod_object {
    const struct lod_store_backend *backend;
    void *state;
    uint64_t bytes;
};

static const struct lod_store_backend *backend_for(const char *location)
{
    const size_t last = sizeof(backends) / sizeof(backends[0]) - 1;
    size_t i = 0;

    while (i < last && !backends[i]->matches(location)) {
        i++;
    }
    return backends[i];
}

int lod_store_open(const char *location, struct lod_store **ret_store)
{
    struct lod_store *store = calloc(1, sizeof(*store));
    int error = -ENOMEM;

    if (!store || !(store->location = strdup(location))) {
        goto out;
    }
    store->backend = backend_for(location);
    error = store->backend->open(location, &store->state);
    if (!error) {
        *ret_store = store;
        return 0;
    }
out:
    if (store) {
        free(store->location);
    }
    free(store);
    return error;
}

int lod_store_wrap(const struct lod_store_backend *backend, void *state, const char *location,
                   struct lod_store **ret_store)
{
    struct lod_store *store = calloc(1, sizeof(*store));

    if (!store || !(store->location = strdup(location))) {
        free(store);
        return -ENOMEM;
    }
    store->backend = backend;
    store->state = state;
    *ret_store = store;
    return 0;
}

struct lod_store *lod_store_close(struct lod_store *store)
{
    if (store) {
        store->backend->close(store->state);
        free(store->location);
        free(store);
    }
    return NULL;
}

void lod_store_read_exactly(struct lod_store *store, bool page_cache)
{
    if (store->backend->read_exactly) {
        store->backend->read_exactly(store->state, page_cache);
    }
}

const char *lod_store_location(const struct lod_store *store)
{
    return store->location;
}

static bool in_alphabet(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
           c == '_' || c == '-';
}

/* Components of the alphabet joined by single '/', none of them "." or "..". */
static bool name_valid(const char *name)
{
    size_t bytes = strnlen(name, LOD_OBJECT_NAME_MAX + 1), start = 0;

    if (bytes == 0 || bytes > LOD_OBJECT_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i <= bytes; i++) {
        if (name[i] != '/' && name[i] != '\0') {
            if (!in_alphabet(name[i])) {
                return false;
            }
            continue;
        }
        size_t length = i - start;
        if (length == 0 || (length <= 2 && strspn(name + start, ".") >= length)) {
            return false;
        }
        start = i + 1;
    }
    return true;
}

int lod_object_open(struct lod_store *store, const char *name, struct lod_object **ret_object)
{
    if (!name_valid(name)) {
        return -EINVAL;
    }
    struct lod_object *object = calloc(1, sizeof(*object));
    if (!object) {
        return -ENOMEM;
    }
    object->backend = store->backend;
    int error = store->backend->object_open(store->state, name, &object->state, &object->bytes);
    if (error) {
        free(object);
        return error;
    }
    *ret_object = object;
    return 0;
}

struct lod_object *lod_object_close(struct lod_object *object)
{
    if (object) {
        object->backend->object_close(object->state);
        free(object);
    }
    return NULL;
}

uint64_t lod_object_bytes(const struct lod_object *object)
{
    return object->bytes;
}

int lod_object_pread(struct lod_object *object, uint64_t offset, void *into, size_t bytes)
{
    if (offset > object->bytes || bytes > object->bytes - offset) {
        return -EIO;
    }
    return bytes ? object->backend->object_pread(object->state, offset, into, bytes) : 0;
}

int lod_object_load(struct lod_object *object, uint64_t offset, void *into, size_t bytes)
{
    const struct lod_store_backend *backend = object->backend;

    assert(offset % LOD_LOAD_ALIGN == 0 && bytes % LOD_LOAD_ALIGN == 0 &&
           (uintptr_t)into % LOD_LOAD_ALIGN == 0);
    if (offset >= object->bytes) {
        return -EIO;
    }
    bytes = bytes < object->bytes - offset ? bytes : (size_t)(object->bytes - offset);
    return (backend->object_load ? backend->object_load
                                 : backend->object_pread)(object->state, offset, into, bytes);
}

int lod_store_list(struct lod_store *store, const char *folder, lod_store_each each, void *ctx)
{
    if (!name_valid(folder)) {
        return -EINVAL;
    }
    return store->backend->list ? store->backend->list(store->state, folder, each, ctx) : -ENOTSUP;
}
