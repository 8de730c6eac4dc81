/* SPDX-License-Identifier: Apache-2.0 */
/* The table of store back ends and the checks around their calls; see store.h. */
#include "backend/store.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backend/location.h"
#include "backend/name.h"
#include "clock.h"

#define LOCATION_BYTES  (2 * PATH_MAX)
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/"

static const struct lod_store_backend *const backends[] = {
#ifdef LOD_CURL
    &lod_store_http, &lod_store_s3,
#endif
    &lod_store_url, /* refuses any other URL */
    &lod_store_dir, /* accepts every location: keep it last */
};

struct lod_store {
    const struct lod_store_backend *backend;
    void *state;
    struct lod_store *inner; /* the wrapped store, or NULL */
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
    struct lod_why why = {.text = ""};

    return lod_store_open_with(location, NULL, ret_store, &why);
}

/* A sentence about a folder that is not there. */
static const char *no_folder(const char *location)
{
    static const char *const begins[] = {"s3:/", "http:/", "https:/"};

    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        if (strncasecmp(location, begins[i], strlen(begins[i])) == 0) {
            return "no such folder; a URL has two slashes: s3://BUCKET/KEY, https://HOST/PATH";
        }
    }
    return "no such folder";
}

static void explain(const char *location, int error, struct lod_why *why)
{
    if (!why->text[0]) {
        lod_refuse(why, error, "%s",
                   error == -ENOENT    ? no_folder(location)
                   : error == -ENOTDIR ? "not a folder; a lodfs store is a folder"
                                       : strerrordesc_np(-error));
    }
}

static int create(const struct lod_store_backend *backend, void *state, const char *location,
                  struct lod_store *inner, struct lod_store **ret_store)
{
    struct lod_store *store = calloc(1, sizeof(*store));

    if (!store || !(store->location = strdup(location))) {
        free(store);
        return -ENOMEM;
    }
    store->backend = backend;
    store->state = state;
    store->inner = inner;
    *ret_store = store;
    return 0;
}

int lod_store_open_with(const char *location, const struct lod_store_settings *settings,
                        struct lod_store **ret_store, struct lod_why *why)
{
    const struct lod_store_backend *backend = backend_for(location);
    char shown[LOCATION_BYTES];
    void *state = NULL;

    why->text[0] = '\0';
    int error = backend->open(location, settings, &state, why);
    if (error) {
        explain(location, error, why);
        return error;
    }
    lod_location_show(location, shown, sizeof(shown));
    error = create(backend, state, shown, NULL, ret_store);
    if (error) {
        explain(location, error, why);
        backend->close(state);
    }
    return error;
}

int lod_store_wrap(const struct lod_store_backend *backend, void *state, struct lod_store *inner,
                   struct lod_store **ret_store)
{
    return create(backend, state, inner->location, inner, ret_store);
}

struct lod_store *lod_store_close(struct lod_store *store)
{
    if (store) {
        store->backend->close(store->state);
        lod_store_close(store->inner);
        free(store->location);
        free(store);
    }
    return NULL;
}

void lod_store_read_exactly(struct lod_store *store, bool shared)
{
    if (store->backend->read_exactly) {
        store->backend->read_exactly(store->state, shared);
    }
}

bool lod_store_is_shared(const struct lod_store *store)
{
    return store->backend->is_shared && store->backend->is_shared(store->state);
}

bool lod_store_is_far(const struct lod_store *store)
{
    return store->backend->is_far ? store->backend->is_far(store->state)
                                  : store->inner && lod_store_is_far(store->inner);
}

void lod_store_stop(struct lod_store *store)
{
    if (store && store->backend->stop) {
        store->backend->stop(store->state);
    } else if (store) {
        lod_store_stop(store->inner);
    }
}

bool lod_store_last_error(struct lod_store *store, char *text, size_t room)
{
    return store->backend->last_error
               ? store->backend->last_error(store->state, text, room)
               : store->inner && lod_store_last_error(store->inner, text, room);
}

void lod_store_stats(struct lod_store *store, struct lod_store_stats *ret_stats)
{
    *ret_stats = (struct lod_store_stats){0};
    if (store->backend->stats) {
        store->backend->stats(store->state, ret_stats);
    } else if (store->inner) {
        lod_store_stats(store->inner, ret_stats);
    }
}

bool lod_store_copies(const struct lod_store *store, uint64_t key, uint64_t *ret_room)
{
    *ret_room = 0;
    return store->backend->copies && store->backend->copies(store->state, key, ret_room);
}

void lod_store_listed(struct lod_store *store, const struct lod_listed *objects, size_t count)
{
    if (store->backend->listed) {
        store->backend->listed(store->state, objects, count);
    }
}

const char *lod_tier_state_name(enum lod_tier_state state)
{
    static const char *const names[LOD_TIER_STATES] = {"none", "counting", "filling",
                                                       "full", "no_space", "past"};

    return names[state];
}

unsigned lod_store_loads(const struct lod_store *store)
{
    return store->backend->loads ? store->backend->loads(store->state)
           : store->inner        ? lod_store_loads(store->inner)
                                 : 1;
}

unsigned lod_store_ranges(const struct lod_store *store)
{
    return store->backend->ranges ? store->backend->ranges(store->state)
           : store->inner         ? lod_store_ranges(store->inner)
                                  : 1;
}

const char *lod_store_location(const struct lod_store *store)
{
    return store->location;
}

static bool name_valid(const char *name)
{
    const size_t bytes = strnlen(name, LOD_OBJECT_NAME_MAX + 1);

    return bytes > 0 && bytes <= LOD_OBJECT_NAME_MAX && lod_path_valid(name, bytes) &&
           strspn(name, NAME_CHARACTERS) == bytes;
}

int lod_object_open(struct lod_store *store, const char *name, struct lod_object **ret_object)
{
    return lod_object_open_known(store, name, NULL, ret_object);
}

int lod_object_open_known(struct lod_store *store, const char *name,
                          const struct lod_object_facts *facts, struct lod_object **ret_object)
{
    if (!name_valid(name)) {
        return -EINVAL;
    }
    struct lod_object *object = calloc(1, sizeof(*object));
    if (!object) {
        return -ENOMEM;
    }
    object->backend = store->backend;
    int error =
        store->backend->object_open(store->state, name, facts, &object->state, &object->bytes);
    if (error) {
        free(object);
        return error;
    }
    if (facts && object->bytes != facts->bytes) {
        lod_object_close(object);
        return -EBADMSG;
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

static bool is_inside(const struct lod_object *object, uint64_t offset, size_t bytes)
{
    return offset <= object->bytes && bytes <= object->bytes - offset;
}

int lod_object_pread(struct lod_object *object, uint64_t offset, void *into, size_t bytes)
{
    struct lod_range range = {.offset = offset, .into = into, .bytes = bytes};

    if (!is_inside(object, offset, bytes)) {
        return -EIO;
    }
    if (bytes && object->backend->object_pread) {
        return object->backend->object_pread(object->state, offset, into, bytes);
    }
    return bytes ? lod_object_read(object, &range, 1, LOD_READ_DEMAND, NULL) : 0;
}

/* Reads one range after the other, for back ends without object_read. */
static void read_in_turn(struct lod_object *object, struct lod_range *ranges, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct lod_range *range = &ranges[i];
        range->error =
            object->backend->object_pread(object->state, range->offset, range->into, range->bytes);
    }
}

int lod_object_read(struct lod_object *object, struct lod_range *ranges, unsigned count,
                    enum lod_read_class class, struct lod_read_time *ret_time)
{
    const struct lod_store_backend *backend = object->backend;
    struct lod_read_time time = {0};
    uint64_t began = lod_clock_ns();
    int error = 0;

    for (unsigned i = 0; i < count; i++) {
        if (!ranges[i].bytes || !is_inside(object, ranges[i].offset, ranges[i].bytes)) {
            return ranges[i].error = -EIO;
        }
        ranges[i].error = 0;
    }
    if (backend->object_read) {
        backend->object_read(object->state, ranges, count, class, &time);
    } else {
        read_in_turn(object, ranges, count);
    }
    time.ns = time.ns ? time.ns : lod_clock_ns() - began;
    for (unsigned i = 0; i < count; i++) {
        error = error ? error : ranges[i].error;
    }
    if (ret_time) {
        *ret_time = time;
    }
    return error;
}

uint64_t lod_object_copied(struct lod_object *object, uint64_t from, uint64_t to)
{
    const uint64_t end = to < object->bytes ? to : object->bytes;

    return object->backend->object_copied && from < end
               ? object->backend->object_copied(object->state, from, end)
               : from;
}

void lod_object_offer(struct lod_object *object, uint64_t offset, const void *from, size_t bytes)
{
    if (object->backend->object_offer && is_inside(object, offset, bytes)) {
        object->backend->object_offer(object->state, offset, from, bytes);
    }
}

bool lod_object_report_wrong(struct lod_object *object, uint64_t offset, size_t bytes)
{
    return object->backend->object_report_wrong &&
           object->backend->object_report_wrong(object->state, offset, bytes);
}

int lod_object_in_memory(struct lod_object *object, uint64_t offset, size_t bytes, bool *ret_is)
{
    if (!is_inside(object, offset, bytes)) {
        return -EIO;
    }
    return object->backend->object_in_memory
               ? object->backend->object_in_memory(object->state, offset, bytes, ret_is)
               : -ENOTSUP;
}

int lod_object_load(struct lod_object *object, uint64_t offset, void *into, size_t bytes,
                    enum lod_read_class class, unsigned parts, struct lod_read_time *ret_time)
{
    struct lod_range range = {.offset = offset, .into = into};
    struct lod_read_time time = {0};
    uint64_t began = lod_clock_ns();

    assert(offset % LOD_LOAD_ALIGN == 0 && bytes % LOD_LOAD_ALIGN == 0 &&
           (uintptr_t)into % LOD_LOAD_ALIGN == 0);
    if (offset >= object->bytes) {
        return -EIO;
    }
    range.bytes = bytes < object->bytes - offset ? bytes : (size_t)(object->bytes - offset);
    if (!object->backend->object_load) {
        return lod_object_read(object, &range, 1, class, ret_time);
    }
    int error =
        object->backend->object_load(object->state, offset, into, range.bytes, class, parts, &time);
    time.ns = time.ns ? time.ns : lod_clock_ns() - began;
    if (ret_time) {
        *ret_time = time;
    }
    return error;
}

int lod_store_list(struct lod_store *store, const char *folder, lod_store_each each, void *ctx)
{
    if (!name_valid(folder)) {
        return -EINVAL;
    }
    return store->backend->list ? store->backend->list(store->state, folder, each, ctx)
           : store->inner       ? lod_store_list(store->inner, folder, each, ctx)
                                : -ENOTSUP;
}
