/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the kept large units, shared only by large_units.c and large_budget.c. */
#ifndef LOD_LARGE_BUDGET_H
#define LOD_LARGE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/flight.h"
#include "read/large_units.h"

/* A unit. It is in the table, and once it is READY or FAILED in the list. */
struct lod_large_unit {
    struct lod_flight flight; /* first */
    struct lod_large_unit *next;
    struct lod_blob *blob; /* READY: one reference */
    uint64_t from, to;     /* the bytes of the blob that are still there */
    uint64_t at;           /* where the last read began */
    uint64_t used;         /* the number of the last read; 0: no further read is expected */
};

/* One lock guards all: these are few units, and making one takes longer than visiting them. */
struct lod_large_units {
    struct lod_flight_shard shard; /* the table, and the lock */
    struct lod_byte_limit *limit;
    struct lod_large_unit *list; /* READY or FAILED units, which are charged to the limit */
    unsigned count;              /* of the list */
    struct lod_key recent[LOD_LARGE_RECENT]; /* of the last reads, by their number */
    uint64_t reads;
    uint64_t evictions, filled_bytes, bytes;
};

/* The caller of each function holds the lock. */

void lod_large_budget_init(struct lod_large_units *units);

/* Counts a read of the unit of `key`. */
void lod_large_budget_note(struct lod_large_units *units, struct lod_key key);

/*
 * Notes a read of [at, at + bytes) of the unit. Once its last byte was read, no further read is
 * expected.
 */
void lod_large_budget_read(struct lod_large_units *units, struct lod_large_unit *unit, uint64_t at,
                           uint64_t bytes);

/*
 * Charges a new unit to the limit and adds it to the list: all of its blob, if that fits after
 * evicting idle units. If not, the other units free the bytes that their readers have passed and
 * those above their share, and the new unit keeps the bytes from its read on, as far as they fit.
 * Returns false if not even the `bytes` of the read fit. Evicted units are added to `dead`.
 */
bool lod_large_budget_keep(struct lod_large_units *units, struct lod_large_unit *unit,
                           uint64_t bytes, struct lod_large_unit **dead);

/*
 * Moves the unit that was read longest ago to `dead`; with `idle`, only idle units are considered.
 * Returns false if all are in answers.
 */
bool lod_large_budget_evict(struct lod_large_units *units, bool idle, struct lod_large_unit **dead);

#endif
