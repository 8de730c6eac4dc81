/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gets checked frames of stored segments from memory, from the store, or from another thread that
 * is fetching them. The layers above are frame_parts.h, which divides plans into frames, and
 * unit_cache.h, which computes bytes from frames.
 */
#ifndef LOD_FRAMES_H
#define LOD_FRAMES_H

#include <stdint.h>

#include "memory/cache.h"
#include "compiler.h"
#include "dataset/dataset.h"
#include "framecache/fetch.h"
#include "frames/prefetch_ahead.h"
#include "memory/byte_limit.h"

/* The `group` in keys of made units (unit_cache.h), whose cache has the same kind of keys. */
#define LOD_KEY_MADE 0u
struct lod_key lod_frames_key(const struct lod_item *item, unsigned group, uint64_t number);

struct lod_frames;

struct lod_frames_options {
    struct lod_byte_limit *limit; /* of frames in memory; outlives this object */
    /* Limit of all prefixes. 0, for a shared store: half of the available memory, read again every
     * few seconds. */
    uint64_t budget_bytes;
    bool threads;              /* may it start threads that prefetch? */
    unsigned loads, loads_max; /* in flight at first and at most; 0: 1 */
};

/* Borrows the dataset. */
LOD_MUST_CHECK int lod_frames_create(struct lod_dataset *dataset,
                                     const struct lod_frames_options *options,
                                     struct lod_frames **ret_frames);
struct lod_frames *lod_frames_destroy(struct lod_frames *frames);

/* A lod_cache_relief: frees frames while they take more than their share of the limit, which
 * frame_evict.c has. */
void lod_frames_shrink(void *frames, size_t bytes);

/* Sets what frees memory of made units, which share the limit: see lod_frame_arena_lend. */
void lod_frames_lend(struct lod_frames *frames, lod_cache_relief claim, void *ctx);

/*
 * Gets all frames of `wanted`, at most LOD_FETCH_MAX frames of one item, each whole and checked. No
 * entry has a chunk before the call; the caller unrefs the chunks after it. On -EIO (already
 * logged), or an error of lod_error_is_temporary, there is no chunk to unref.
 */
LOD_MUST_CHECK int lod_frames_get(struct lod_frames *frames, const struct lod_item *item,
                                  struct lod_wanted *wanted, unsigned count);

/*
 * Reads ahead groups first .. last of `count` neighbouring items, beginning with this one, if the
 * store answers at the speed of memory. Returns how many of the items, at least one, need no other
 * call; see lod_fetch_run.
 */
uint32_t lod_frames_run(struct lod_frames *frames, const struct lod_item *item, uint32_t count,
                        unsigned first, unsigned last);

/* Sets the limit of all prefixes of a store that is not shared. */
void lod_frames_set_budget(struct lod_frames *frames, uint64_t bytes);

/* Takes a job's list of the records that it will read: see lod_prefetch_announce. */
LOD_MUST_CHECK int lod_frames_announce(struct lod_frames *frames,
                                       const struct lod_ahead_request *request,
                                       struct lod_ahead_answer *ret_answer);

/* Returns the measured speed of the store. */
struct lod_io_estimate *lod_frames_io_estimate(struct lod_frames *frames);

struct lod_frames_stats {
    uint64_t hits, misses, evictions;
    uint64_t scattered_reads, scattered_bytes, prefix_reads, prefix_bytes, frames_bad;
    uint64_t outcomes[LOD_OUTCOMES]; /* of requests to the store */
    uint64_t latency_ns, bandwidth;
    uint64_t advised_bytes;                /* see lod_prefetch_advice */
    uint64_t load_bytes[LOD_READ_CLASSES]; /* of prefix_bytes */
    struct lod_ahead_stats ahead;
};
void lod_frames_stats(struct lod_frames *frames, struct lod_frames_stats *ret_stats);

#endif
