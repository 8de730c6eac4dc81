/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded cache of blobs: index blocks, open records and made units each have one of their own. A
 * value is made once for all threads that ask (flight.h); CLOCK chooses what is evicted. It knows
 * neither the meaning of a key nor files.
 */
#ifndef LOD_CACHE_H
#define LOD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "memory/blob.h"
#include "memory/byte_limit.h"
#include "memory/flight.h"

struct lod_cache;

/* Makes the value of `key` and returns one reference in *ret_blob. Called without any lock of the
 * cache. */
typedef int (*lod_cache_fill)(void *ctx, struct lod_key key, struct lod_blob **ret_blob);

LOD_MUST_CHECK int lod_cache_create(size_t bytes_max, struct lod_cache **ret_cache);

/*
 * Frees `bytes` of a shared limit, as far as possible, before this cache evicts entries of its own.
 */
typedef void (*lod_cache_relief)(void *ctx, size_t bytes);

/* Creates a cache that shares `limit`, which outlives it. */
LOD_MUST_CHECK int lod_cache_create_in(struct lod_byte_limit *limit, lod_cache_relief relief,
                                       void *ctx, struct lod_cache **ret_cache);
struct lod_cache *lod_cache_destroy(struct lod_cache *cache);

/* Returns the limit of the cache, and of others that share it, as it is now. */
size_t lod_cache_bytes_max(const struct lod_cache *cache);

/* Evicts until `bytes` of the limit are free, or nothing more can be evicted. */
void lod_cache_shrink(struct lod_cache *cache, size_t bytes);

/*
 * Returns the blob of `key`. If it is absent, fill(ctx, key) makes it. The caller unrefs it. The
 * bytes held never pass the limit: if all other blobs are in use, the new one is returned without
 * being kept. Returns -ETIME if another thread has been making it for LOD_FLIGHT_WAIT_NS. Other
 * errors are those of `fill`, remembered for LOD_FLIGHT_FAILED_NS.
 */
LOD_MUST_CHECK int lod_cache_get(struct lod_cache *cache, struct lod_key key, lod_cache_fill fill,
                                 void *ctx, struct lod_blob **ret_blob);

/* Returns whether the blob of `key` is present or being made. It can be evicted at any moment after
 * that. */
bool lod_cache_has(struct lod_cache *cache, struct lod_key key);

struct lod_cache_stats {
    uint64_t hits, misses, evictions, bytes;
    uint64_t filled_bytes; /* of all values made */
};
struct lod_cache_stats lod_cache_stats(struct lod_cache *cache);

#endif
