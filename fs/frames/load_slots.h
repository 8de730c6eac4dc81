/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loads in flight: a table of slots, each with a buffer, and at most one load for each record.
 * It knows no store, no thread and no clock; its owner has the lock.
 *
 * A load is for readers that wait (DEMAND), or for later ones (AHEAD). A waiting reader comes
 * first: while a reader waits for a slot, no load ahead begins, and a load ahead in flight releases
 * its slot at its next step. If several loads may be in flight, readers have one slot more than
 * loads ahead. The window counts large loads; of small loads as many may be in flight as have the
 * same number of bytes. `ahead_most` limits loads ahead further, for readers outside the lists of
 * jobs.
 */
#ifndef LOD_LOAD_SLOTS_H
#define LOD_LOAD_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/io_buffer.h"
#include "frames/load_window.h"

#define LOD_LOADS_MAX 16u /* ahead, at a time */

struct lod_load {
    uint32_t record;
    bool in_flight;
    bool ahead;                  /* no reader waits for it */
    bool yields;                 /* it gives its slot up to a reader */
    bool unlisted;               /* a reader's, and jobs have lists, none of which has its record */
    uint64_t steps;              /* counts steps and ends, of all loads of this slot */
    uint64_t expected;           /* bytes that it will still keep in memory */
    struct lod_io_buffer buffer; /* its thread uses it without the lock */
};

/* All zero, with `limit` and `most` of the window set: no load is in flight. */
struct lod_load_slots {
    struct lod_load_window window; /* how many loads may be in flight */
    unsigned count;                /* loads in flight */
    unsigned ahead;                /* of these, loads that no reader waits for */
    unsigned yields;               /* of those, loads about to end for a reader */
    unsigned waiting;              /* readers that wait for a slot */
    unsigned unlisted;             /* reads in flight of readers outside the lists of jobs */
    unsigned ahead_most; /* loads ahead in flight; others end at their next step; 0: no limit */
    struct lod_load at[LOD_LOADS_MAX + 1];
};

/* Returns the load in flight of a record; NULL: none. */
struct lod_load *lod_load_slots_find(struct lod_load_slots *slots, uint32_t record);

/* Returns whether another load may begin. */
bool lod_load_slots_may(const struct lod_load_slots *slots, bool ahead);

/* Begins a load of a record that has none in flight, in a free slot. */
struct lod_load *lod_load_slots_begin(struct lod_load_slots *slots, uint32_t record, bool ahead);

/* Notes that a reader waits for this load, which may be NULL. If several loads may be in flight, it
 * stops being a load ahead. */
void lod_load_slots_join(struct lod_load_slots *slots, struct lod_load *load);

/* Notes that a reader outside the lists of jobs waits for this load. */
void lod_load_slots_set_unlisted(struct lod_load_slots *slots, struct lod_load *load);

/* Returns how many requests each load may send in parallel: its own, and one for each load that
 * could begin now. */
unsigned lod_load_slots_parts(const struct lod_load_slots *slots);

/* Counts a step of `bytes` bytes. Returns whether the load should continue. */
bool lod_load_slots_step(struct lod_load_slots *slots, struct lod_load *load, uint64_t bytes);

void lod_load_slots_end(struct lod_load_slots *slots, struct lod_load *load);

/* Returns the bytes that loads in flight will still keep in memory. */
uint64_t lod_load_slots_expected(const struct lod_load_slots *slots);

/* Frees the buffers. */
void lod_load_slots_finish(struct lod_load_slots *slots);

#endif
