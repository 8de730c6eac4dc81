/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Full chunks of one kind, oldest first, and the choice of the next one to evict. It has no lock;
 * only frame_arena.c uses it.
 */
#ifndef LOD_CHUNK_QUEUE_H
#define LOD_CHUNK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "framecache/frame_arena.h"

#define LOD_CHUNK_TRIES 256u /* a bound: there may be many listed chunks, nearly all in use */

struct lod_chunk_queue {
    struct lod_chunk *first, *last;
    size_t count, bytes;
};

void lod_chunk_push(struct lod_chunk_queue *queue, struct lod_chunk *chunk);

/* Removes the oldest chunk of a queue that is not empty. */
struct lod_chunk *lod_chunk_pop(struct lod_chunk_queue *queue);

/*
 * Removes and returns the oldest chunk without other references. With `second_round` it must also
 * be unreferenced since it was last examined. Without it, at most LOD_CHUNK_TRIES are examined, and
 * those in use go to the end. Returns NULL if there is none.
 */
struct lod_chunk *lod_chunk_victim(struct lod_chunk_queue *queue, bool second_round);

#endif
