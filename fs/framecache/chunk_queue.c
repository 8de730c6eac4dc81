/* SPDX-License-Identifier: Apache-2.0 */
/* A list linked by `after`. CLOCK moves a chunk that was referenced from the front to the end. See
 * chunk_queue.h. */
#include "framecache/chunk_queue.h"

#include <stdatomic.h>

void lod_chunk_push(struct lod_chunk_queue *queue, struct lod_chunk *chunk)
{
    chunk->after = NULL;
    if (queue->last) {
        queue->last->after = chunk;
    } else {
        queue->first = chunk;
    }
    queue->last = chunk;
    queue->count++;
    queue->bytes += chunk->bytes;
}

struct lod_chunk *lod_chunk_pop(struct lod_chunk_queue *queue)
{
    struct lod_chunk *chunk = queue->first;

    queue->first = chunk->after;
    if (!queue->first) {
        queue->last = NULL;
    }
    queue->count--;
    queue->bytes -= chunk->bytes;
    return chunk;
}

struct lod_chunk *lod_chunk_victim(struct lod_chunk_queue *queue, bool second_round)
{
    const size_t all = queue->count < LOD_CHUNK_TRIES ? queue->count : LOD_CHUNK_TRIES;

    for (size_t left = second_round ? 2 * queue->count : all; left; left--) {
        struct lod_chunk *chunk = lod_chunk_pop(queue);
        bool held = atomic_load_explicit(&chunk->blob.refs, memory_order_acquire) > 1;
        bool touched = atomic_exchange_explicit(&chunk->touched, false, memory_order_relaxed);
        if (!held && !(second_round && touched)) {
            return chunk;
        }
        lod_chunk_push(queue, chunk);
    }
    return NULL;
}
