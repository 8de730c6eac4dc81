/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fetches frames from the store into chunks. A frame is claimed in the table first, so that it is
 * read once for all readers. It is read in as few requests as pay, checked, and published. The
 * caller decides which frames to read.
 */
#ifndef LOD_FETCH_H
#define LOD_FETCH_H

#include <stdatomic.h>
#include <stdint.h>

#include "framecache/frame_arena.h"
#include "compiler.h"
#include "dataset/dataset.h"
#include "memory/flight.h"
#include "backend/io_estimate.h"
#include "record/record.h"
#include "backend/outcome.h"

/*
 * A piece of b bytes covers at most b / 2^16 + 2 frames, since only the last frame of a segment is
 * smaller than 2^16. The pieces of one call hold at most LOD_FETCH_BYTES_MAX bytes.
 */
#define LOD_FETCH_BYTES_MAX (1u << 20)
#define LOD_FETCH_MAX       ((LOD_FETCH_BYTES_MAX >> LOD_FRAME_SHIFT_MIN) + 2 * LOD_PIECES_MAX)

/*
 * A frame in memory, being read, or known to be bad. Entries are stored in a chunk before their
 * frames and are freed with them. All frames of one item share a shard of the table.
 */
struct lod_frame_entry {
    struct lod_flight flight;     /* first */
    struct lod_frame_entry *next; /* in its chunk; set before the entry is linked */
    struct lod_chunk *chunk;
    uint8_t *data; /* the frame's bytes; immutable once READY */
    uint32_t bytes;
    atomic_bool checked; /* its hash was right */
};

/* The state shared by all readers. */
struct lod_fetch {
    struct lod_dataset *dataset; /* borrowed */
    bool shared;                 /* bytes stay in the page cache: lod_store_is_shared */
    bool copies;                 /* the store has a local copy: lod_store_copies */
    struct lod_flight_table table;
    struct lod_frame_arena *arena;
    struct lod_io_estimate estimate;
    atomic_size_t pinned; /* bytes of chunks that are not evicted: see frame_pins.h */
    atomic_uint_fast64_t load_bytes[LOD_READ_CLASSES]; /* of prefixes, by purpose */
    atomic_uint_fast64_t scattered_reads, scattered_bytes, prefix_reads, prefix_bytes, frames_bad;
    atomic_uint_fast64_t outcomes[LOD_OUTCOMES]; /* of requests */
};

/* A requested frame, and its place in memory once it is fetched. */
struct lod_wanted {
    unsigned group;
    uint64_t frame;
    struct lod_chunk *chunk; /* one reference; NULL: not fetched yet */
    const uint8_t *data;
    uint32_t bytes;
};

struct lod_key lod_fetch_key(const struct lod_record_desc *recd, uint32_t slot, unsigned group,
                             uint64_t number);

/*
 * Fetches the frames of `wanted` without a chunk that no other thread is reading. `*near`: they
 * should come from memory, so the requests do not count for the estimate; it becomes false if one
 * is slow. On -EIO (already logged), or an error of lod_error_is_temporary, the frames that could
 * be read have their chunks.
 */
LOD_MUST_CHECK int lod_fetch(struct lod_fetch *fetch, const struct lod_item *item,
                             struct lod_wanted *wanted, unsigned count, bool *near);

/*
 * Reads ahead for `count` neighbouring slots, of which the item's is the first. Neighbours are
 * adjacent in each group, so few requests suffice. Fetches groups first .. last of slots whose
 * first frame is absent; the first readers check the hashes. Returns how many of the slots, from
 * the first on, need no other call: they are in memory, or being read. A failure is not remembered,
 * since the reader of each frame meets it again. At most LOD_RUN_FRAMES frames of LOD_RUN_BYTES
 * bytes; `near` as above.
 */
#define LOD_RUN_FRAMES 256u
#define LOD_RUN_BYTES  (512u << 10)
uint32_t lod_fetch_run(struct lod_fetch *fetch, const struct lod_item *item, uint32_t count,
                       unsigned first, unsigned last, bool *near);

/* Returns in *ret_is whether this frame would be read from the page cache. Opens its record if
 * necessary. Returns -ENOTSUP if the store cannot tell. */
LOD_MUST_CHECK int lod_fetch_in_memory(struct lod_fetch *fetch, const struct lod_item *item,
                                       const struct lod_wanted *wanted, bool *ret_is);

/* Returns whether a local copy of the store has this frame. Opens its record if necessary. */
bool lod_fetch_is_copied(struct lod_fetch *fetch, const struct lod_item *item,
                         const struct lod_wanted *wanted);

/* Returns the shard of the table that holds all frames of an item. */
struct lod_flight_shard *lod_fetch_shard(struct lod_fetch *fetch, struct lod_key key);

/* Adds `first` .. `last`, linked by their `next`, to the entries of the chunk. */
void lod_fetch_own(struct lod_chunk *chunk, struct lod_frame_entry *first,
                   struct lod_frame_entry *last);

/* A lod_chunk_forget: unlinks all entries of the chunk; `ctx` is the table. */
uint64_t lod_fetch_forget(void *ctx, struct lod_chunk *chunk);

#endif
