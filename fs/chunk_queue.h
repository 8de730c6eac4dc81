/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Full chunks of one kind, oldest first, and which of them goes next. No lock of its own; chunks.c
 * alone uses it.
 */
#ifndef LOD_CHUNK_QUEUE_H
#define LOD_CHUNK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "chunks.h"

struct lod_chunk_queue {
    struct lod_chunk *first, *last;
    size_t count, bytes;
};

void lod_chunk_push(struct lod_chunk_queue *queue, struct lod_chunk *chunk);

/* The oldest; there is one. */
struct lod_chunk *lod_chunk_pop(struct lod_chunk_queue *queue);

/*
 * Takes out the oldest that nobody else holds and, with `second_round`, that was not asked for
 * since it was last looked at. NULL: none.
 */
struct lod_chunk *lod_chunk_victim(struct lod_chunk_queue *queue, bool second_round);

#endif
