/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The listed records that are in memory or in a local copy of the store, or that could not be
 * loaded: a table by record number. Those without pins may be in a copy. Its owner has the lock. It
 * knows no jobs: its owner marks the records that jobs still want, and a sweep removes the others.
 */
#ifndef LOD_AHEAD_HELD_H
#define LOD_AHEAD_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "framecache/frame_pins.h"
#include "list.h"

enum lod_ahead_state {
    LOD_AHEAD_PART,    /* something of it is in memory; more has to be loaded */
    LOD_AHEAD_READY,   /* groups first .. last are */
    LOD_AHEAD_RECHECK, /* they were; the copy has to be checked again */
    LOD_AHEAD_SHORT,   /* the copy has no room; this is checked again soon */
    LOD_AHEAD_FAILED,  /* a load failed; it is tried again after the next request */
};

struct lod_ahead_record {
    uint32_t record;
    uint8_t first, last;
    uint8_t state; /* enum lod_ahead_state */
    bool marked;
    struct lod_frame_pins pins;
};

/* All zero: empty. */
struct lod_ahead_held {
    LOD_LIST(struct lod_ahead_record); /* by record number */
};

/* Returns NULL for a record that is not held. */
struct lod_ahead_record *lod_ahead_held_find(const struct lod_ahead_held *held, uint32_t record);

/* Returns whether the groups that a record names are in memory or in the copy. */
bool lod_ahead_is_loaded(const struct lod_ahead_record *at);

/* Returns whether these groups of a record are in memory or in the copy. */
bool lod_ahead_held_ready(const struct lod_ahead_held *held, uint32_t record, unsigned first,
                          unsigned last);

/* Makes room for `count` records in all. -ENOMEM. */
LOD_MUST_CHECK int lod_ahead_held_reserve(struct lod_ahead_held *held, size_t count);

/* Sets the state of a record, for which there is room, and adds pins to those that it has. Takes
 * the pins. */
void lod_ahead_held_put(struct lod_ahead_held *held, uint32_t record, unsigned first, unsigned last,
                        enum lod_ahead_state state, struct lod_frame_pins *pins);

/* Removes the records that are not marked, with their pins, and clears all marks. */
void lod_ahead_held_sweep(struct lod_ahead_held *held);

/* Sets the state of every record that has this state to LOD_AHEAD_PART. */
void lod_ahead_held_again(struct lod_ahead_held *held, enum lod_ahead_state state);

/* Sets the state of every ready record without pins to LOD_AHEAD_RECHECK. */
void lod_ahead_held_recheck(struct lod_ahead_held *held);

void lod_ahead_held_finish(struct lod_ahead_held *held);

#endif
