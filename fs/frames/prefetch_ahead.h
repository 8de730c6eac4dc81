/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefetching by lists: a job announces the records that it will read, in which order, and how much
 * of each (LOD_IOC_AHEAD). Background threads load them in that order, as far ahead as memory
 * allows; jobs take turns by record. The frames of listed records are not evicted. If a local copy
 * of the store may hold more than memory, the rest of a list goes into the copy. ahead_lists.h has
 * the lists, ahead_held.h the records in memory.
 */
#ifndef LOD_PREFETCH_AHEAD_H
#define LOD_PREFETCH_AHEAD_H

#include "compiler.h"
#include "frames/ahead_lists.h"
#include "frames/prefetch_state.h"

/* Changes the list of a job, and answers how much of it is loaded. The caller then wakes the
 * threads: lod_prefetch_wake. Errors are those of lod_ahead_lists_update, -ENOENT for a record that
 * the store lacks, and -EIO. */
LOD_MUST_CHECK int lod_prefetch_announce(struct lod_prefetch *prefetch,
                                         const struct lod_ahead_request *request,
                                         struct lod_ahead_answer *ret_answer);

/* Call it when the memory for prefixes has changed:
 * drops listed records that do not fit any more. */
void lod_prefetch_trim(struct lod_prefetch *prefetch);

/* Returns whether any job has a list. Never blocks. */
bool lod_prefetch_has_lists(const struct lod_prefetch *prefetch);

/* Returns the groups that jobs will read of a record; last 0: none lists it. */
struct lod_groups lod_prefetch_listed(struct lod_prefetch *prefetch, uint32_t record,
                                      enum lod_ahead_place *ret_place);

/* Returns whether a listed record that belongs into the local copy needs no load now: it is there,
 * or the copy has no room for it. */
bool lod_prefetch_settle_copy(struct lod_prefetch *prefetch, const struct lod_record_desc *recd,
                              struct lod_groups groups);

/*
 * Drops lists whose time is over, and marks records in a copy for a new check when that is due.
 * Call it before each wait: a wait ends when the next of these times comes. `budget` as
 * lod_prefetch_budget returns it. The lock is held.
 */
void lod_prefetch_ahead_pass(struct lod_prefetch *prefetch, uint64_t budget);

/* Returns the next record to load; false: none now. The lock is held. */
bool lod_prefetch_ahead_next(struct lod_prefetch *prefetch, uint64_t budget,
                             struct lod_ahead_entry *ret_entry);

/* Notes that a load of a listed record has ended with `error`, see lod_prefix_fetch. -ENOSPC: the
 * local copy has no room for it. Takes the pins. */
void lod_prefetch_hold(struct lod_prefetch *prefetch, uint32_t record, struct lod_groups groups,
                       int error, struct lod_frame_pins *pins);

struct lod_ahead_stats {
    uint64_t jobs, records; /* lists, and records in them */
    uint64_t ready;         /* of these records, each once */
    uint64_t pinned_bytes;  /* memory that cannot be evicted */
    uint64_t outside;       /* reads of records that no list names, while there was a list */
    uint64_t loads;         /* in flight now, listed or not */
    uint64_t window_bytes; /* bytes of loads that would be in flight if there were enough to load */
    struct lod_duration_sum waits; /* of readers, for loads */
};
struct lod_ahead_stats lod_prefetch_ahead_stats(struct lod_prefetch *prefetch);

#endif
