/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads prefixes, one at a time, and runs the background thread that prefetches. Readers that miss
 * frames meanwhile wait for the next step of the load in flight. It makes no decisions.
 */
#ifndef LOD_PREFETCH_LOADS_H
#define LOD_PREFETCH_LOADS_H

#include "compiler.h"
#include "frames/prefetch_state.h"

/* A load takes about a second at most, so a longer wait means that the store stalls. */
#define LOD_PREFETCH_PATIENCE_NS 1500000000ull

/* Begins a load, or waits for a step of the one in flight. */
enum lod_prefetch_begun {
    LOD_PREFETCH_MINE,  /* begun; the caller ends it */
    LOD_PREFETCH_STEP,  /* another load has made a step */
    LOD_PREFETCH_STUCK, /* the other load made no step for LOD_PREFETCH_PATIENCE_NS */
};
/* For a reader of this record. One that no reader waits for makes way for it. */
LOD_MUST_CHECK enum lod_prefetch_begun lod_prefetch_begin(struct lod_prefetch *prefetch,
                                                          uint32_t record);
/* For no reader: blocks until no load is in flight and no reader waits to begin one. Returns false
 * if prefetching has been stopped. */
LOD_MUST_CHECK bool lod_prefetch_begin_ahead(struct lod_prefetch *prefetch, uint32_t record);

/*
 * Loads these groups of the item's record and ends the load that was begun. A listed record stays
 * in memory. Returns -EAGAIN if it loaded only a part, to measure the bandwidth or to make way for
 * a reader, and other errors as lod_prefix_fetch does.
 */
int lod_prefetch_load(struct lod_prefetch *prefetch, const struct lod_item *item,
                      struct lod_groups groups, enum lod_read_class class);
void lod_prefetch_end(struct lod_prefetch *prefetch);

/* Loads these groups of the item's record and of the next one in the background thread, unless a
 * job has told what comes next. A newer call replaces one that has not begun. Never blocks. */
void lod_prefetch_ahead(struct lod_prefetch *prefetch, const struct lod_item *item,
                        struct lod_groups groups);

/* Lists have changed: the background thread looks at them. The lock is held. */
void lod_prefetch_wake(struct lod_prefetch *prefetch);

/* Prevents further loads and joins the thread. */
void lod_prefetch_stop(struct lod_prefetch *prefetch);

#endif
