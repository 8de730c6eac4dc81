/* SPDX-License-Identifier: Apache-2.0 */
/* The state of an arena of chunks. Only frame_arena.c, which hands out memory, and frame_evict.c,
 * which takes it back, use it. */
#ifndef LOD_FRAME_ARENA_STATE_H
#define LOD_FRAME_ARENA_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "framecache/chunk_queue.h"
#include "framecache/frame_arena.h"

struct lod_frame_arena {
    struct lod_byte_limit *limit;
    lod_chunk_forget forget;
    void *forget_ctx;
    lod_cache_relief claim; /* NULL: no units share the limit */
    void *claim_ctx;
    size_t chunk_bytes;
    atomic_size_t bytes; /* of all chunks */
    atomic_uint_fast64_t forgotten;
    pthread_mutex_t lock;
    struct lod_chunk *free; /* last in, first out; guarded by lock, like all below */
    struct lod_chunk_queue queues[LOD_CHUNK_KINDS]; /* full chunks; one reference each */
    struct lod_chunk *open[LOD_CHUNK_KINDS];        /* being filled, one reference; or NULL */
};

/* Frees a chunk that has no reference. */
void lod_frame_arena_release(struct lod_chunk *chunk);

/* Frees the free chunks, which do not have the wanted size. Returns false if there were none. The
 * lock is held. */
bool lod_frame_arena_drop_free(struct lod_frame_arena *arena);

/* Choose a chunk to evict: one of this kind, or one for a request for memory of this kind. Until
 * made units gave what they may (`claimed`), no chunk of another kind is chosen. Return NULL if
 * there is none that is not in use. The lock is held. */
struct lod_chunk *lod_frame_arena_victim(struct lod_frame_arena *arena, enum lod_chunk_kind kind);
struct lod_chunk *lod_frame_arena_victim_for(struct lod_frame_arena *arena,
                                             enum lod_chunk_kind kind, bool claimed);

/* Evicts a chunk. It goes to the free list after its last reader. No lock is held. */
void lod_frame_arena_evict(struct lod_frame_arena *arena, struct lod_chunk *chunk);

/* Has made units evicted for a chunk of `bytes` bytes, if frames have less than their share. No
 * lock is held. */
void lod_frame_arena_claim(struct lod_frame_arena *arena, size_t bytes, enum lod_chunk_kind kind);

#endif
