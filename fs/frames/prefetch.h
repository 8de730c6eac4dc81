/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefetching: gathers the numbers for prefetch_policy.h and executes its decisions. It owns the
 * loads in flight, their buffers, and the background threads. On a disk one load runs at a time:
 * seeking between two prefixes would make both slower. Readers that miss frames of a record that is
 * being loaded wait for the next step of its load and check again.
 */
#ifndef LOD_PREFETCH_H
#define LOD_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "frames/prefetch_state.h"

struct lod_prefetch_options {
    uint64_t budget_bytes; /* 0: half of the available memory, looked up every few seconds */
    bool threads;          /* it may start background threads */
    unsigned loads;        /* in flight at first; 0: 1 */
    unsigned loads_max;    /* in flight at most; less than `loads` counts as `loads` */
};

/* Returns -ENOMEM. */
LOD_MUST_CHECK int lod_prefetch_init(struct lod_prefetch *prefetch, struct lod_fetch *fetch,
                                     const struct lod_prefetch_options *options);
/* Blocks until the loads in flight have ended. Accepts an object that is all zero. */
void lod_prefetch_finish(struct lod_prefetch *prefetch);

/* Every read calls this first, with the frames it wants. Never blocks. */
void lod_prefetch_note(struct lod_prefetch *prefetch, const struct lod_item *item,
                       const struct lod_wanted *wanted, unsigned count);

enum lod_prefetch_done {
    LOD_PREFETCH_MOVED, /* this thread or another one loaded something: check again */
    LOD_PREFETCH_NONE,  /* fetch the missing frames alone */
    /* The same, for a reader outside the lists of jobs; then call lod_prefetch_end_unlisted. */
    LOD_PREFETCH_UNLISTED,
    /* The same, but they should be in memory; if not, call lod_prefetch_note_slow. */
    LOD_PREFETCH_NEAR,
    /* Fetch one of them, which measures the store, then call lod_prefetch_end of the record. */
    LOD_PREFETCH_FIRST,
};

/*
 * Entries of `wanted` without a chunk are missing. Blocks while a prefix that contains them is
 * loaded. `*loaded` belongs to one read and begins as false, since a read loads at most one prefix.
 */
LOD_MUST_CHECK enum lod_prefetch_done lod_prefetch_miss(struct lod_prefetch *prefetch,
                                                        const struct lod_item *item,
                                                        const struct lod_wanted *wanted,
                                                        unsigned count, bool *loaded);

/* Returns whether these groups of the item's record should come at the speed of memory.
 * `*ret_near`: because they are in the kernel's page cache; if a read is slow, call
 * lod_prefetch_note_slow. */
LOD_MUST_CHECK bool lod_prefetch_is_fast(struct lod_prefetch *prefetch, const struct lod_item *item,
                                         struct lod_groups groups, bool *ret_near);

/* Call it after a slow read that should have come from memory. Asks the kernel again whether the
 * record is in its page cache, at most 50 times a second. */
void lod_prefetch_note_slow(struct lod_prefetch *prefetch, const struct lod_item *item);

/* Returns the bytes of cache that the present read order needs; 0: the present cache suffices;
 * UINT64_MAX: no cache would. */
uint64_t lod_prefetch_advice(const struct lod_prefetch *prefetch);

#endif
