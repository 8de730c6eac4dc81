/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the memory of made units and their inputs for the next units, since fresh pages from the
 * kernel take longer than making the bytes in them. It keeps a few buffers of the sizes used last.
 * Their contents are garbage.
 */
#ifndef LOD_BUFFER_POOL_H
#define LOD_BUFFER_POOL_H

#include <pthread.h>
#include <stddef.h>

#include "memory/cache.h"
#include "compiler.h"

/* Limit of the kept bytes, in addition to the cache's limit. A reader and the readahead of its next
 * units use about as many. */
#define LOD_BUFFER_POOL_BYTES_MAX (24u << 20)
#define LOD_BUFFER_POOL_PIECES    8u

/* Smaller buffers come from malloc, which keeps their pages itself. */
#define LOD_BUFFER_POOL_LEAST (128u << 10)

struct lod_buffer_pool {
    pthread_mutex_t lock; /* guards all below */
    void *piece[LOD_BUFFER_POOL_PIECES];
    unsigned count; /* the last entry was returned last */
    size_t bytes;
};

void lod_buffer_pool_init(struct lod_buffer_pool *pool);
/* Call it when all buffers have been given back. */
void lod_buffer_pool_finish(struct lod_buffer_pool *pool);

/* Returns `bytes` uninitialised bytes, at a multiple of 64 if they are 4 KiB or more. Returns NULL
 * if memory is exhausted. `pool` may be NULL. */
void *lod_buffer_pool_take(struct lod_buffer_pool *pool, size_t bytes);
/* Accepts NULL. */
void lod_buffer_pool_release(struct lod_buffer_pool *pool, void *at);

/* Like lod_blob_create. The last reference gives the memory back to the pool. */
LOD_MUST_CHECK int lod_buffer_pool_blob(struct lod_buffer_pool *pool, size_t bytes,
                                        struct lod_blob **ret_blob);

#endif
