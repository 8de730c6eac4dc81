/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store around a folder that simulates a copy of its objects: their first bytes come from it, and
 * they may be wrong until they are reported. It counts offers and reports.
 */
#ifndef LOD_COPY_STORE_H
#define LOD_COPY_STORE_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>

#include "backend/store.h"

struct copy_store {
    uint64_t copied; /* the copy has this many bytes from the start of each object */
    bool wrong;      /* these bytes are wrong, until lod_object_report_wrong is called */
    struct lod_store *inner;
    unsigned offers, reports;
    uint64_t offset; /* of the last offer */
    size_t bytes;
    uint8_t first;
};

struct copy_object {
    struct copy_store *store;
    struct lod_object *inner;
};

static inline void copy_close(void *state)
{
    (void)state; /* belongs to the test; the store that it wraps is closed with it */
}

static inline int copy_object_open(void *state, const char *name,
                                   const struct lod_object_facts *facts, void **ret_object,
                                   uint64_t *ret_bytes)
{
    struct copy_object *object = calloc(1, sizeof(*object));

    cr_assert_not_null(object);
    object->store = state;
    cr_assert_eq(lod_object_open_known(object->store->inner, name, facts, &object->inner), 0);
    *ret_bytes = lod_object_bytes(object->inner);
    *ret_object = object;
    return 0;
}

static inline void copy_object_close(void *state)
{
    lod_object_close(((struct copy_object *)state)->inner);
    free(state);
}

static inline int copy_object_pread(void *state, uint64_t offset, void *into, size_t bytes)
{
    struct copy_object *object = state;
    int error = lod_object_pread(object->inner, offset, into, bytes);

    if (object->store->wrong && offset < object->store->copied) {
        ((uint8_t *)into)[bytes / 2] ^= 1;
    }
    return error;
}

static inline int copy_object_load(void *state, uint64_t offset, void *into, size_t bytes,
                                   enum lod_read_class class, unsigned parts,
                                   struct lod_read_time *ret_time)
{
    const uint64_t copied = ((struct copy_object *)state)->store->copied;

    (void)class;
    (void)parts;
    ret_time->copied_bytes = offset >= copied          ? 0
                             : bytes < copied - offset ? bytes
                                                       : copied - offset;
    return copy_object_pread(state, offset, into, bytes);
}

static inline void copy_object_offer(void *state, uint64_t offset, const void *from, size_t bytes)
{
    struct copy_store *store = ((struct copy_object *)state)->store;

    store->offers++;
    store->offset = offset;
    store->bytes = bytes;
    store->first = *(const uint8_t *)from;
}

static inline bool copy_object_report_wrong(void *state, uint64_t offset, size_t bytes)
{
    struct copy_store *store = ((struct copy_object *)state)->store;
    const bool was_wrong = store->wrong;

    (void)offset;
    store->reports++;
    store->bytes = bytes;
    store->wrong = false;
    return was_wrong;
}

static const struct lod_store_backend copy_backend = {
    .name = "copy",
    .close = copy_close,
    .object_open = copy_object_open,
    .object_close = copy_object_close,
    .object_pread = copy_object_pread,
    .object_load = copy_object_load,
    .object_offer = copy_object_offer,
    .object_report_wrong = copy_object_report_wrong,
};

/* Borrows `copy`. */
static inline struct lod_store *copy_store_create(struct copy_store *copy, const char *folder)
{
    struct lod_store *store = NULL;

    cr_assert_eq(lod_store_open(folder, &copy->inner), 0);
    cr_assert_eq(lod_store_wrap(&copy_backend, copy, copy->inner, &store), 0);
    return store;
}

#endif
