/* SPDX-License-Identifier: Apache-2.0 */
/* Immutable bytes, or an object that owns some, with a reference count. Any thread. */
#ifndef LOD_BLOB_H
#define LOD_BLOB_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

/* Create it with lod_blob_create, or embed it as the first member of a larger struct. It is
 * immutable once it is shared. */
struct lod_blob {
    atomic_uint refs;
    size_t bytes;                           /* charged to a limit, as `idle` is */
    size_t idle;                            /* allocated bytes that are not used */
    void (*destroy)(struct lod_blob *blob); /* frees all of it */
    /* Set by lod_blob_create; may be NULL in a larger struct. */
    uint8_t *data;
};

/* Creates a blob of `bytes` uninitialised bytes at ->data with one reference. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_blob_create(size_t bytes, struct lod_blob **ret_blob);
struct lod_blob *lod_blob_ref(struct lod_blob *blob);
/* Accepts NULL, returns NULL. The last reference destroys the blob. */
struct lod_blob *lod_blob_unref(struct lod_blob *blob);

/* Add or drop `count` references at once. Threads that share a blob contend for its counter, so
 * fewer calls are faster. */
void lod_blob_ref_many(struct lod_blob *blob, unsigned count);
void lod_blob_unref_many(struct lod_blob *blob, unsigned count);

#endif
