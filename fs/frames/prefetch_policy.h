/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decision what to read when a reader misses frames: those frames alone, or a prefix of their
 * record. It is a pure function of plain numbers: no lock, no thread, no clock, no I/O. prefetch.c
 * gathers the numbers and acts; man/ARCHITECTURE.md tells the reasons.
 */
#ifndef LOD_PREFETCH_POLICY_H
#define LOD_PREFETCH_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "codec.h"

/* Groups first .. last of a record, 1 .. LOD_GROUPS_MAX; last 0: none. */
struct lod_groups {
    unsigned first, last;
};

static inline bool lod_groups_hold(struct lod_groups groups, struct lod_groups wanted)
{
    return groups.last && groups.first <= wanted.first && groups.last >= wanted.last;
}

/* The cost of requests to the store: a latency for those that go side by side, and the time of
 * their bytes. */
struct lod_prefetch_cost {
    bool memory; /* the store answers at the speed of memory */
    uint64_t latency_ns;
    uint64_t bandwidth; /* bytes a second, of all loads together */
    unsigned ranges;    /* requests that go side by side; 0: 1 */
};

/*
 * How much of the store can be kept in memory. `fitting` is the highest group k for which groups
 * from .. k of all records fit together; 0 if not even the first of them fits.
 */
struct lod_prefetch_room {
    uint64_t bytes;         /* limit of all prefixes */
    unsigned fitting;       /* a group */
    uint64_t kept_bytes;    /* of the loaded prefixes */
    uint64_t reserve_bytes; /* of groups 1 .. fitting of the other records */
    uint64_t copy_bytes;    /* that a local copy of the store has room for */
};

/* The recent order of reads, counted by access_history.h. */
struct lod_prefetch_order {
    bool in_turn;        /* readers go through the records in turn, a few at a time */
    unsigned asked;      /* items of this record that were read */
    unsigned asked_mean; /* the same for the other records, on average */
    uint64_t bytes;      /* of the prefixes that must stay in memory for this order */
};

/* The frames that a reader misses, in groups first .. last of one record. */
struct lod_prefetch_miss {
    unsigned first, last;
    unsigned from;                       /* first group that these readers want; 0: as 1 */
    uint64_t requests, bytes;            /* cost of reading the missing frames alone */
    uint64_t prefix[LOD_GROUPS_MAX + 1]; /* bytes of groups 1 .. k of the record */
    unsigned announced; /* an announced order wants groups 1 .. announced; 0: none */
};

struct lod_prefetch_choice {
    unsigned first, last; /* groups to load; last 0: read the missing frames alone */
    unsigned from;        /* the miss's; at least 1 */
    bool short_of_room;   /* with a larger cache it would have been a prefix */
};

struct lod_prefetch_choice lod_prefetch_decide(const struct lod_prefetch_miss *miss,
                                               const struct lod_prefetch_cost *cost,
                                               const struct lod_prefetch_room *room,
                                               const struct lod_prefetch_order *order);

/*
 * Returns whether to prefetch the next record in order. `bytes` is the size of the groups that are
 * wanted, up to `last`. `order` is seen from that record.
 */
bool lod_prefetch_decide_ahead(uint64_t bytes, unsigned last, const struct lod_prefetch_cost *cost,
                               const struct lod_prefetch_room *room,
                               const struct lod_prefetch_order *order);

/*
 * Framed files (fs/shard) are read from start to end, and their samples are neighbours in a record.
 * Returns how many bytes behind a request of a file to read ahead, on a store at the speed of
 * memory. `end`: where the file's latest request ended; 0: none is known. `files`: how many are
 * being read.
 */
#define LOD_AHEAD_BYTES (256u << 10)
uint64_t lod_prefetch_decide_run(uint64_t offset, uint64_t bytes, uint64_t end, unsigned files);

#endif
