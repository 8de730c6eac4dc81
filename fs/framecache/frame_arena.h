/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of stored frames: an arena of chunks, each of which is evicted as one. Most have one
 * size and are filled from the front. So there is little fragmentation, the limit holds to the
 * byte, and pages are used again. First touches of fresh pages would cost more than all else in a
 * read. It knows no frames and no files.
 *
 * - RECENT chunks hold bytes that came at the speed of memory, so they are cheap to read again.
 *   They are few and evicted first in, first out. Only the front of each is used, so that it stays
 *   in a processor's cache.
 * - LISTED chunks hold bytes of records in a job's list (frame_pins.h keeps them). Each is as large
 *   as one request for memory, so that a pin keeps no byte of another record. Chunks
 *   without pins are evicted after the RECENT ones, first in, first out.
 * - RETAINED chunks hold bytes from a slower store. They grow to the whole limit and are evicted by
 *   CLOCK. CLOCK needs one bit a chunk, and serves an epoch that is read once as well as any other
 *   order.
 */
#ifndef LOD_FRAME_ARENA_H
#define LOD_FRAME_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "memory/cache.h"
#include "compiler.h"
#include "memory/byte_limit.h"

#define LOD_CHUNK_BYTES_MIN (64u << 10)
#define LOD_CHUNK_BYTES_MAX ((2u << 20) + (16u << 10)) /* two frames of 1 MiB and their entries */
#define LOD_RECENT_BYTES    (6u << 20)

/* In the order in which they are evicted. */
enum lod_chunk_kind { LOD_CHUNK_RECENT, LOD_CHUNK_LISTED, LOD_CHUNK_RETAINED, LOD_CHUNK_KINDS };

struct lod_frame_arena;

/* The memory belongs to the holders of references to `blob`. */
struct lod_chunk {
    struct lod_blob blob; /* first */
    struct lod_frame_arena *arena;
    struct lod_chunk *after; /* next in its queue or the free list */
    uint8_t *memory;
    size_t bytes; /* of memory */
    size_t used,
        paged; /* bytes in use, and bytes whose pages are mapped; guarded by the arena's lock */
    _Atomic(void *) entries; /* for the owner of the contents; NULL in a new chunk */
    atomic_bool touched;     /* referenced since CLOCK last passed */
    atomic_uint pins;        /* see frame_pins.h */
    uint8_t kind;            /* enum lod_chunk_kind; set before anything is in it */
};

/*
 * Called before a chunk is evicted: drops everything that points into it. Only `arena`, and threads
 * that found the chunk meanwhile, have references. No lock is held. Returns how many entries were
 * dropped.
 */
typedef uint64_t (*lod_chunk_forget)(void *ctx, struct lod_chunk *chunk);

/* `limit` outlives the arena. */
LOD_MUST_CHECK int lod_frame_arena_create(struct lod_byte_limit *limit, lod_chunk_forget forget,
                                          void *ctx, struct lod_frame_arena **ret_chunks);
/* Call it when no chunk is referenced any more. */
struct lod_frame_arena *lod_frame_arena_destroy(struct lod_frame_arena *arena);

/*
 * Returns `bytes` of memory, aligned to 16, and one reference to its chunk. Evicts older chunks if
 * necessary. Returns NULL if all chunks are in use, or the limit is too small.
 */
void *lod_frame_arena_take(struct lod_frame_arena *arena, size_t bytes, enum lod_chunk_kind kind,
                           struct lod_chunk **ret_chunk);

/* The same without evicting a chunk. Returns NULL if there is no free memory. */
void *lod_frame_arena_take_free(struct lod_frame_arena *arena, size_t bytes,
                                enum lod_chunk_kind kind, struct lod_chunk **ret_chunk);

/*
 * The same, but not counted against the limit: for bytes that are not kept. Returns NULL if memory
 * is exhausted.
 */
void *lod_frame_arena_take_own(struct lod_frame_arena *arena, size_t bytes,
                               struct lod_chunk **ret_chunk);

/* Returns the free bytes of the open chunk of this kind. */
size_t lod_frame_arena_left(struct lod_frame_arena *arena, enum lod_chunk_kind kind);

/* Returns the size of the largest take from a chunk of the usual size. */
size_t lod_frame_arena_usual(const struct lod_frame_arena *arena);

/* The limit is shared with made units. `claim` frees bytes that they hold; the arena calls it, with
 * no lock held, while frames have less than their share: see frame_evict.c. */
void lod_frame_arena_lend(struct lod_frame_arena *arena, lod_cache_relief claim, void *ctx);

/* Returns the bytes of the limit that others hold. */
size_t lod_frame_arena_others(const struct lod_frame_arena *arena);

/* Evicts chunks of at least `bytes`, as far as possible, if the arena has more than its share. */
void lod_frame_arena_shrink(struct lod_frame_arena *arena, size_t bytes);

struct lod_frame_arena_stats {
    size_t bytes; /* taken from the limit */
    uint64_t forgotten;
};
struct lod_frame_arena_stats lod_frame_arena_stats(struct lod_frame_arena *arena);

#endif
