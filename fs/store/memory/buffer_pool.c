/* SPDX-License-Identifier: Apache-2.0 */
/* See buffer_pool.h. The size of a buffer is stored in front of it. */
#include "memory/buffer_pool.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEAD          64u   /* so that buffers begin at a cache line */
#define ALIGNED_LEAST 4096u /* a smaller buffer saves less by that than aligned_alloc takes */

static size_t room_of(const void *piece)
{
    size_t room;
    memcpy(&room, piece, sizeof(room));
    return room;
}

void lod_buffer_pool_init(struct lod_buffer_pool *pool)
{
    *pool = (struct lod_buffer_pool){.count = 0};
    pthread_mutex_init(&pool->lock, NULL);
}

void lod_buffer_pool_finish(struct lod_buffer_pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++) {
        free(pool->piece[i]);
    }
    pthread_mutex_destroy(&pool->lock);
}

/* The lock is held. */
static void *take_out(struct lod_buffer_pool *pool, unsigned at)
{
    void *piece = pool->piece[at];

    pool->count--;
    memmove(&pool->piece[at], &pool->piece[at + 1], (pool->count - at) * sizeof(piece));
    pool->bytes -= room_of(piece);
    return piece;
}

/* Finds a buffer that is large enough and would be used to three quarters at least. */
static void *find(struct lod_buffer_pool *pool, size_t bytes)
{
    void *piece = NULL;

    pthread_mutex_lock(&pool->lock);
    for (unsigned i = pool->count; i > 0 && !piece; i--) {
        const size_t room = room_of(pool->piece[i - 1]);
        if (room >= bytes && room - bytes <= room / 4) {
            piece = take_out(pool, i - 1);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return piece;
}

void *lod_buffer_pool_take(struct lod_buffer_pool *pool, size_t bytes)
{
    uint8_t *piece = pool && bytes >= LOD_BUFFER_POOL_LEAST ? find(pool, bytes) : NULL;

    if (!piece && bytes < SIZE_MAX / 2) {
        const size_t room = (bytes + HEAD - 1) / HEAD * HEAD;
        piece = bytes < ALIGNED_LEAST ? malloc(HEAD + room) : aligned_alloc(HEAD, HEAD + room);
        if (piece) {
            memcpy(piece, &room, sizeof(room));
        }
    }
    return piece ? piece + HEAD : NULL;
}

/* Frees the oldest buffers until `bytes` fit. The lock is held. */
static unsigned make_room(struct lod_buffer_pool *pool, size_t bytes,
                          void *freed[LOD_BUFFER_POOL_PIECES])
{
    unsigned count = 0;

    while (pool->count == LOD_BUFFER_POOL_PIECES ||
           (pool->count && pool->bytes + bytes > LOD_BUFFER_POOL_BYTES_MAX)) {
        freed[count++] = take_out(pool, 0);
    }
    return count;
}

void lod_buffer_pool_release(struct lod_buffer_pool *pool, void *at)
{
    void *piece = at ? (uint8_t *)at - HEAD : NULL, *freed[LOD_BUFFER_POOL_PIECES];
    const size_t room = piece ? room_of(piece) : 0;
    unsigned count = 0;

    if (!pool || room < LOD_BUFFER_POOL_LEAST || room > LOD_BUFFER_POOL_BYTES_MAX) {
        free(piece);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    count = make_room(pool, room, freed);
    pool->piece[pool->count++] = piece;
    pool->bytes += room;
    pthread_mutex_unlock(&pool->lock);
    while (count) {
        free(freed[--count]);
    }
}

struct spare_blob {
    struct lod_blob blob;
    struct lod_buffer_pool *pool;
};

static void destroy(struct lod_blob *blob)
{
    struct spare_blob *own = (struct spare_blob *)blob;

    lod_buffer_pool_release(own->pool, own->blob.data);
    free(own);
}

int lod_buffer_pool_blob(struct lod_buffer_pool *pool, size_t bytes, struct lod_blob **ret_blob)
{
    struct spare_blob *own = malloc(sizeof(*own));
    uint8_t *data = own ? lod_buffer_pool_take(pool, bytes) : NULL;

    if (!data) {
        free(own);
        return -ENOMEM;
    }
    *own = (struct spare_blob){.blob = {.bytes = bytes,
                                        .idle = room_of(data - HEAD) - bytes,
                                        .destroy = destroy,
                                        .data = data},
                               .pool = pool};
    atomic_init(&own->blob.refs, 1);
    *ret_blob = &own->blob;
    return 0;
}
