/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded cache of immutable, counted bytes: index blocks, record tables, frames; each kind has a
 * cache of its own with a budget of its own. One maker a key while others wait; failures are
 * remembered for seconds. The eviction is CLOCK. Knows no keys' meaning, no files.
 */
#ifndef LOD_CACHE_H
#define LOD_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "room.h"

#define LOD_CACHE_BAD_NS  (5ull * 1000 * 1000 * 1000)  /* a failure is remembered this long */
#define LOD_CACHE_WAIT_NS (30ull * 1000 * 1000 * 1000) /* then a waiter gives up with -EIO */

struct lod_key {
    uint64_t high, low;
};

/* Embed first in a larger struct, or use lod_blob_create. Immutable once published. */
struct lod_blob {
    atomic_uint refs;
    size_t bytes;                           /* charged to the budget, as the next */
    size_t idle;                            /* of the memory behind them */
    void (*destroy)(struct lod_blob *blob); /* frees all of it */
    uint8_t *data;                          /* lod_blob_create's; an embedding may use NULL */
};

/* A blob of `bytes` uninitialised bytes at ->data, one reference. -ENOMEM. */
LOD_MUST_CHECK int lod_blob_create(size_t bytes, struct lod_blob **ret_blob);
struct lod_blob *lod_blob_ref(struct lod_blob *blob);
/* Accepts NULL, returns NULL; the last reference destroys. Any thread. */
struct lod_blob *lod_blob_unref(struct lod_blob *blob);

/* `count` at once: threads that share a blob pass its count to and fro, once a call. */
void lod_blob_ref_many(struct lod_blob *blob, unsigned count);
void lod_blob_unref_many(struct lod_blob *blob, unsigned count);

struct lod_cache;

/* Makes the value of `key`: one reference in *ret_blob. Called without any lock of the cache. */
typedef int (*lod_cache_fill)(void *ctx, struct lod_key key, struct lod_blob **ret_blob);

LOD_MUST_CHECK int lod_cache_create(size_t bytes_max, struct lod_cache **ret_cache);

/* Asked for `bytes` more of a shared budget before this cache evicts its own. */
typedef void (*lod_cache_relief)(void *ctx, size_t bytes);

/* A cache whose budget is `room`, which outlives it. */
LOD_MUST_CHECK int lod_cache_create_in(struct lod_room *room, lod_cache_relief relief, void *ctx,
                                       struct lod_cache **ret_cache);

/* Evicts until `bytes` are given back to the budget, or nothing more can be. */
void lod_cache_shrink(struct lod_cache *cache, size_t bytes);

struct lod_cache *lod_cache_destroy(struct lod_cache *cache);

/*
 * The blob of `key`, made by fill(ctx, key) if absent; the caller unrefs it. The bytes held never
 * pass bytes_max: with everything referenced, the new blob is handed out without being kept.
 */
LOD_MUST_CHECK int lod_cache_get(struct lod_cache *cache, struct lod_key key, lod_cache_fill fill,
                                 void *ctx, struct lod_blob **ret_blob);

/* Is the blob of `key` there, or being made? It may be gone at once. */
bool lod_cache_has(struct lod_cache *cache, struct lod_key key);

struct lod_cache_stats {
    uint64_t hits, misses, evictions, bytes;
    uint64_t filled_bytes; /* of all that was made */
};
struct lod_cache_stats lod_cache_stats(struct lod_cache *cache);

#endif
