/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The background threads of prefetching: one for each load that may be in flight, started when
 * there is work. They load the records that jobs have announced. Without a list, they load the
 * records that follow the one a reader has come to. Decisions are made by prefetch_policy.h and
 * prefetch_ahead.h.
 */
#ifndef LOD_PREFETCH_THREADS_H
#define LOD_PREFETCH_THREADS_H

#include "frames/prefetch_state.h"

/* Loads these groups of the item's record and of the ones behind it, unless a job has a list. A
 * newer call replaces one that has not begun. Never blocks. */
void lod_prefetch_ahead(struct lod_prefetch *prefetch, const struct lod_item *item,
                        struct lod_groups groups);

/* Wakes the threads after lists have changed (prefetch_ahead.h). Never blocks. */
void lod_prefetch_wake(struct lod_prefetch *prefetch);

/* Prevents further loads and joins the threads. */
void lod_prefetch_stop(struct lod_prefetch *prefetch);

#endif
