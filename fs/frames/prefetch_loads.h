/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begins, runs and ends loads of prefixes. At most one load of a record is in flight; readers that
 * miss frames of that record wait for its next step. How many records are loaded at a time is
 * bounded by load_slots.h. It makes no decisions and starts no threads.
 */
#ifndef LOD_PREFETCH_LOADS_H
#define LOD_PREFETCH_LOADS_H

#include "compiler.h"
#include "frames/prefetch_state.h"

/* A load takes about a second at most, so a longer wait means that the store does not answer. */
#define LOD_PREFETCH_PATIENCE_NS 1500000000ull

/* Results of lod_prefetch_begin. */
enum lod_prefetch_begun {
    LOD_PREFETCH_MINE,  /* begun; the caller ends it */
    LOD_PREFETCH_STEP,  /* a load has made a step: check again */
    LOD_PREFETCH_STUCK, /* no load made a step for LOD_PREFETCH_PATIENCE_NS */
};
/*
 * Begins a load for a reader of this record, or waits for the next step of the load in flight. If
 * all slots are taken it waits for one. A load that no reader waits for then stops, and frees its
 * slot.
 */
LOD_MUST_CHECK enum lod_prefetch_begun lod_prefetch_begin(struct lod_prefetch *prefetch,
                                                          uint32_t record);
/*
 * Begins a load ahead: one that no reader waits for. Blocks until a slot is free, no reader waits
 * for a slot, and no reader loads this record. Returns false if another load ahead fetches the
 * record, or prefetching has been stopped.
 */
LOD_MUST_CHECK bool lod_prefetch_begin_ahead(struct lod_prefetch *prefetch, uint32_t record);

/*
 * Loads these groups of the item's record and ends its load, which was begun. A listed record stays
 * in memory. Returns -EAGAIN if it loaded only a part, to measure the bandwidth or to make way for
 * a reader, and other errors as lod_prefix_fetch does.
 */
int lod_prefetch_load(struct lod_prefetch *prefetch, const struct lod_item *item,
                      struct lod_groups groups);
/* Ends the load of this record without loading anything. */
void lod_prefetch_end(struct lod_prefetch *prefetch, uint32_t record);

/*
 * A reader outside the lists of jobs fetches frames alone, and then calls
 * lod_prefetch_end_unlisted. Until then, and for some seconds, loads of listed records are small
 * and few. Returns false, and changes nothing, if jobs have no lists or the store answers at the
 * speed of memory.
 */
LOD_MUST_CHECK bool lod_prefetch_begin_unlisted(struct lod_prefetch *prefetch);
void lod_prefetch_end_unlisted(struct lod_prefetch *prefetch);

/* Begins a load, for which there is a slot: see lod_load_slots_begin. The lock is held. */
struct lod_load *lod_prefetch_begin_locked(struct lod_prefetch *prefetch, uint32_t record,
                                           bool ahead);

#endif
