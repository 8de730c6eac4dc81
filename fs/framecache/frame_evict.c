/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choice of chunks to evict, and how frames and made units share one limit. Each takes memory
 * from the other up to its share:
 *
 * - Prefixes and lists, with their entries, get seven eighths. Their budget is three quarters of
 *   the limit (prefetch_state.c), and entries take an eighth of that at most.
 * - Frames that are read alone get what remains of three quarters.
 * - Made units get a quarter; units of which there are few in a quarter get up to a half, so that
 *   readers do not evict each other's. Pinned frames stay in any case.
 */
#include "framecache/frame_arena_state.h"

#include <stdlib.h>

#include "framecache/chunk_memory.h"

#define UNITS_LEAST 4u /* that should fit beside the frames */

/* ------------------------------------------------------------------------------- victims */

struct lod_chunk *lod_frame_arena_victim(struct lod_frame_arena *arena, enum lod_chunk_kind kind)
{
    return lod_chunk_victim(&arena->queues[kind], kind == LOD_CHUNK_RETAINED);
}

/* Chooses a chunk of any kind; as the last resort one that is being filled. */
static struct lod_chunk *any_victim(struct lod_frame_arena *arena)
{
    struct lod_chunk *chunk = NULL;

    for (unsigned i = 0; !chunk && i < 2 * LOD_CHUNK_KINDS; i++) {
        const unsigned kind = i % LOD_CHUNK_KINDS;
        if (i >= LOD_CHUNK_KINDS && arena->open[kind]) {
            lod_chunk_push(&arena->queues[kind], arena->open[kind]);
            arena->open[kind] = NULL;
        }
        chunk = lod_frame_arena_victim(arena, kind);
    }
    return chunk;
}

struct lod_chunk *lod_frame_arena_victim_for(struct lod_frame_arena *arena,
                                             enum lod_chunk_kind kind, bool claimed)
{
    const bool own = kind == LOD_CHUNK_RECENT;
    struct lod_chunk *chunk = own ? lod_frame_arena_victim(arena, kind) : NULL;

    return chunk || !claimed ? chunk : any_victim(arena);
}

/* -------------------------------------------------------------------------------- evicting */

void lod_frame_arena_evict(struct lod_frame_arena *arena, struct lod_chunk *chunk)
{
    atomic_fetch_add_explicit(&arena->forgotten, arena->forget(arena->forget_ctx, chunk),
                              memory_order_relaxed);
    lod_blob_unref(&chunk->blob);
}

void lod_frame_arena_release(struct lod_chunk *chunk)
{
    struct lod_frame_arena *arena = chunk->arena;

    lod_chunk_memory_free(chunk->memory, chunk->bytes);
    atomic_fetch_sub(&arena->bytes, chunk->bytes);
    lod_byte_limit_release(arena->limit, chunk->bytes);
    free(chunk);
}

bool lod_frame_arena_drop_free(struct lod_frame_arena *arena)
{
    bool any = arena->free;

    while (arena->free) {
        struct lod_chunk *chunk = arena->free;
        arena->free = chunk->after;
        lod_frame_arena_release(chunk);
    }
    return any;
}

/* ------------------------------------------------------------------------------- sharing */

void lod_frame_arena_lend(struct lod_frame_arena *arena, lod_cache_relief claim, void *ctx)
{
    arena->claim = claim;
    arena->claim_ctx = ctx;
}

size_t lod_frame_arena_others(const struct lod_frame_arena *arena)
{
    const size_t all = atomic_load(&arena->limit->bytes), own = atomic_load(&arena->bytes);

    return all > own ? all - own : 0;
}

void lod_frame_arena_claim(struct lod_frame_arena *arena, size_t bytes, enum lod_chunk_kind kind)
{
    const size_t eighth = atomic_load(&arena->limit->bytes_max) / 8;
    const size_t share = eighth * (kind == LOD_CHUNK_RECENT ? 6 : 7);

    if (arena->claim && atomic_load(&arena->bytes) + bytes <= share) {
        arena->claim(arena->claim_ctx, bytes);
    }
}

/* Returns how many bytes frames keep where a unit of `bytes` bytes needs memory. */
static size_t kept_from_units(const struct lod_frame_arena *arena, size_t bytes)
{
    const size_t all = atomic_load(&arena->limit->bytes_max);
    const size_t few = bytes < all / UNITS_LEAST ? bytes * UNITS_LEAST : all;

    return all - (few < all / 4 ? all / 4 : few > all / 2 ? all / 2 : few);
}

void lod_frame_arena_shrink(struct lod_frame_arena *arena, size_t bytes)
{
    const size_t before = atomic_load(&arena->bytes), least = kept_from_units(arena, bytes);
    bool more = true;

    while (more && atomic_load(&arena->bytes) + bytes > before &&
           atomic_load(&arena->bytes) > least) {
        pthread_mutex_lock(&arena->lock);
        lod_frame_arena_drop_free(arena);
        struct lod_chunk *chunk = any_victim(arena);
        pthread_mutex_unlock(&arena->lock);
        if (chunk) {
            lod_frame_arena_evict(arena, chunk);
        }
        more = chunk;
    }
    pthread_mutex_lock(&arena->lock);
    lod_frame_arena_drop_free(arena);
    pthread_mutex_unlock(&arena->lock);
}
