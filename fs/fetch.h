/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames out of the store into chunks: claimed in the table first, so that each is read once
 * however many ask, read in as few requests as pay, checked and published. Decides nothing about
 * what is worth reading.
 */
#ifndef LOD_FETCH_H
#define LOD_FETCH_H

#include <stdatomic.h>
#include <stdint.h>

#include "chunks.h"
#include "compiler.h"
#include "dataset.h"
#include "frame_table.h"
#include "pace.h"
#include "pinned.h"
#include "store/outcome.h"

/*
 * A piece of b bytes touches at most b / 2^16 + 2 frames (none is smaller than 2^16 but a segment's
 * last), and one call's pieces hold LOD_FETCH_BYTES_MAX bytes at most.
 */
#define LOD_FETCH_BYTES_MAX (1u << 20)
#define LOD_FETCH_MAX       ((LOD_FETCH_BYTES_MAX >> LOD_FRAME_SHIFT_MIN) + 2 * LOD_PIECES_MAX)

/* What readers share. */
struct lod_fetch {
    struct lod_dataset *dataset; /* borrowed */
    struct lod_frame_table table;
    struct lod_chunks *chunks;
    struct lod_pace pace;
    atomic_uint_fast64_t scattered_reads, scattered_bytes, prefix_reads, prefix_bytes, frames_bad;
    atomic_uint_fast64_t outcomes[LOD_OUTCOMES]; /* of requests */
};

/* A frame asked for, and where it is once it is there. */
struct lod_wanted {
    unsigned group;
    uint64_t frame;
    struct lod_chunk *chunk; /* one reference; NULL: not there yet */
    const uint8_t *data;
    uint32_t bytes;
};

struct lod_key lod_fetch_key(const struct lod_recd *recd, uint32_t slot, unsigned group,
                             uint64_t number);

/*
 * Reads those of `wanted` that have no chunk and that nobody else is reading. -EIO (already
 * logged), -ENOMEM, -EINTR; what it could read has its chunk all the same.
 */
LOD_MUST_CHECK int lod_fetch(struct lod_fetch *fetch, const struct lod_item *item,
                             struct lod_wanted *wanted, unsigned count);

/* One timed request to the store. */
LOD_MUST_CHECK int lod_fetch_read(struct lod_fetch *fetch, struct lod_pinned *pinned,
                                  uint64_t offset, void *into, size_t bytes);

/*
 * Ends MAKING. 0: the frame is there; -ENOMEM, -EINTR: it is forgotten; others are remembered for
 * seconds. The lock of the entry's shard is held.
 */
void lod_fetch_publish(struct lod_frame_shard *shard, struct lod_frame_entry *entry, int error);

/* Chains `first` .. `last`, linked by their next, to what is in the chunk. */
void lod_fetch_own(struct lod_chunk *chunk, struct lod_frame_entry *first,
                   struct lod_frame_entry *last);

#endif
