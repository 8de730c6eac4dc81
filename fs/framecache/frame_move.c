/* SPDX-License-Identifier: Apache-2.0 */
/* A copy replaces the frame in the table. Readers of the old frame hold references to its chunk.
 * See frame_move.h. */
#include "framecache/frame_move.h"

#include <string.h>

/* Returns a copy with a reference to its chunk; NULL: there is no memory. */
static struct lod_frame_entry *copy(struct lod_fetch *fetch, struct lod_frame_entry *from)
{
    struct lod_chunk *chunk = NULL;
    uint8_t *at =
        lod_frame_arena_take(fetch->arena, sizeof(*from) + from->bytes, LOD_CHUNK_LISTED, &chunk);
    struct lod_frame_entry *entry = (struct lod_frame_entry *)(void *)at;

    if (!at) {
        return NULL;
    }
    *entry = (struct lod_frame_entry){.flight.key = from->flight.key,
                                      .chunk = chunk,
                                      .data = at + sizeof(*entry),
                                      .bytes = from->bytes};
    atomic_init(&entry->checked, atomic_load(&from->checked));
    memcpy(entry->data, from->data, from->bytes);
    lod_fetch_own(chunk, entry, entry);
    return entry;
}

/* Takes a reference to the chunk of a frame that has to move. NULL: there is none. */
static struct lod_frame_entry *hold(struct lod_fetch *fetch, struct lod_key key)
{
    struct lod_flight_shard *shard = lod_fetch_shard(fetch, key);

    pthread_mutex_lock(&shard->lock);
    struct lod_frame_entry *entry = (struct lod_frame_entry *)lod_flight_find(shard, key);
    const bool moves =
        entry && entry->flight.state == LOD_FLIGHT_READY && entry->chunk->kind != LOD_CHUNK_LISTED;
    if (moves) {
        lod_blob_ref(&entry->chunk->blob);
    }
    pthread_mutex_unlock(&shard->lock);
    return moves ? entry : NULL;
}

void lod_frame_move(struct lod_fetch *fetch, struct lod_key key)
{
    struct lod_flight_shard *shard = lod_fetch_shard(fetch, key);
    struct lod_frame_entry *from = hold(fetch, key);
    struct lod_frame_entry *to = from ? copy(fetch, from) : NULL;

    if (to) {
        pthread_mutex_lock(&shard->lock);
        if (from->flight.linked) { /* not evicted meanwhile */
            lod_flight_unlink(shard, &from->flight);
            lod_flight_link(shard, &to->flight);
            lod_flight_complete(shard, &to->flight, 0);
        }
        pthread_mutex_unlock(&shard->lock);
        lod_blob_unref(&to->chunk->blob);
    }
    if (from) {
        lod_blob_unref(&from->chunk->blob);
    }
}
