/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of stored frames: chunks of one size, filled from the front, given out and taken back
 * whole. So nothing is fragmented, a budget holds to the byte, and memory that was touched once is
 * used again: fresh pages cost more than all else in a read. Knows no frames and no files.
 *
 * CHEAP chunks hold what came at the speed of memory, so a copy of it is near: a few of them, first
 * in first out, of which only the front is used, so that it stays in a processor's cache. KEPT ones
 * hold what was waited for: they grow to the whole budget, and a CLOCK goes round them, which
 * serves an epoch read once as well as any other order and needs a bit a chunk.
 */
#ifndef LOD_CHUNKS_H
#define LOD_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache.h"
#include "compiler.h"
#include "room.h"

#define LOD_CHUNK_BYTES_MIN (64u << 10)
#define LOD_CHUNK_BYTES_MAX ((2u << 20) + (16u << 10)) /* two frames of 1 MiB and their entries */
#define LOD_CHEAP_BYTES     (6u << 20)

enum lod_chunk_kind { LOD_CHUNK_CHEAP, LOD_CHUNK_KEPT, LOD_CHUNK_KINDS };

struct lod_chunks;

/* Its memory is its holder's while `blob` is referenced. */
struct lod_chunk {
    struct lod_blob blob; /* first */
    struct lod_chunks *chunks;
    struct lod_chunk *after; /* in its queue, or the free list */
    uint8_t *memory;
    size_t bytes;            /* of memory */
    size_t used, paged;      /* now; at most so far. Guarded by the lock of `chunks` */
    _Atomic(void *) entries; /* for the owner of what is in it; NULL in a new one */
    atomic_bool touched;     /* asked for since the hand passed */
};

/*
 * Before a chunk is given up: drop all that points into it. Nobody holds the chunk but `chunks`, or
 * those who found it since; no lock is held. Returns how many things were dropped.
 */
typedef uint64_t (*lod_chunk_forget)(void *ctx, struct lod_chunk *chunk);

/* `room` outlives it. */
LOD_MUST_CHECK int lod_chunks_create(struct lod_room *room, lod_chunk_forget forget, void *ctx,
                                     struct lod_chunks **ret_chunks);
/* Nobody holds a chunk any more. */
struct lod_chunks *lod_chunks_destroy(struct lod_chunks *chunks);

/*
 * `bytes` of memory, aligned to 16, in a chunk of which the caller gets one reference; taken from
 * older chunks if need be. NULL: all of the budget is in use by others, or it is too small.
 */
void *lod_chunks_take(struct lod_chunks *chunks, size_t bytes, enum lod_chunk_kind kind,
                      struct lod_chunk **ret_chunk);

/* The same outside of the budget, for bytes that will not be kept. NULL: out of memory. */
void *lod_chunks_take_own(struct lod_chunks *chunks, size_t bytes, struct lod_chunk **ret_chunk);

/* What CHEAP chunks may take together from now on; LOD_CHEAP_BYTES at first. More: to keep it. */
void lod_chunks_set_cheap(struct lod_chunks *chunks, size_t bytes);

/* How much the next take of this kind can ask for without leaving space behind. */
size_t lod_chunks_left(struct lod_chunks *chunks, enum lod_chunk_kind kind);

/* How much a chunk of the usual size holds. */
size_t lod_chunks_usual(const struct lod_chunks *chunks);

/* Gives back at least `bytes` of the budget if it can, and if `chunks` has more than half of it. */
void lod_chunks_shrink(struct lod_chunks *chunks, size_t bytes);

struct lod_chunks_stats {
    size_t bytes; /* of the budget */
    uint64_t forgotten;
};
struct lod_chunks_stats lod_chunks_stats(struct lod_chunks *chunks);

/* Bytes a chunk has in a budget of `bytes_max`. */
size_t lod_chunk_bytes(size_t bytes_max);

#endif
