/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checked frames of stored segments: out of memory, or fetched, or waited for. Below the reader,
 * whose plans frame_parts.h takes to pieces, and below made.h, which computes bytes from them.
 */
#ifndef LOD_FRAMES_H
#define LOD_FRAMES_H

#include <stdint.h>

#include "cache.h"
#include "compiler.h"
#include "dataset.h"
#include "fetch.h"
#include "room.h"

/* A key of the cache of made bytes: a unit of what is made of the item (made.h). */
#define LOD_KEY_MADE 0u
struct lod_key lod_frames_key(const struct lod_item *item, unsigned group, uint64_t number);

struct lod_frames;

/* Borrows the dataset and the budget. */
LOD_MUST_CHECK int lod_frames_create(struct lod_dataset *dataset, struct lod_room *room,
                                     struct lod_frames **ret_frames);
struct lod_frames *lod_frames_destroy(struct lod_frames *frames);

/* A lod_cache_relief: gives back bytes of the budget while frames hold more than half of it. */
void lod_frames_shrink(void *frames, size_t bytes);

/*
 * All of `wanted`, which has no chunks yet: at most LOD_FETCH_MAX frames of one item, each of them
 * whole and checked; the caller unrefs the chunks. -EIO (already logged), -ENOMEM, -EINTR: then
 * there is no chunk to unref.
 */
LOD_MUST_CHECK int lod_frames_get(struct lod_frames *frames, const struct lod_item *item,
                                  struct lod_wanted *wanted, unsigned count);

/* How fast the store has been. */
struct lod_pace *lod_frames_pace(struct lod_frames *frames);

struct lod_frames_stats {
    uint64_t hits, misses, evictions;
    uint64_t scattered_reads, scattered_bytes, prefix_reads, prefix_bytes, frames_bad;
    uint64_t outcomes[LOD_OUTCOMES]; /* of requests to the store */
    uint64_t latency_ns, bandwidth;
    uint64_t advised_bytes; /* see lod_stream_advice */
};
void lod_frames_stats(struct lod_frames *frames, struct lod_frames_stats *ret_stats);

#endif
