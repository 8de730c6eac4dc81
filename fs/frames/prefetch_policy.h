/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decision what to read when a reader misses frames: those frames alone, or a prefix of their
 * record. It is a pure function of plain numbers: no lock, no thread, no clock, no I/O. prefetch.c
 * gathers the numbers and acts; man/ARCHITECTURE.md explains the rules.
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

/* The cost of requests to the store: one latency for all that are sent at the same time, and the
 * time to transfer their bytes. */
struct lod_prefetch_cost {
    bool memory; /* the store answers at the speed of memory */
    uint64_t latency_ns;
    uint64_t bandwidth; /* bytes a second, of all loads together */
    unsigned ranges;    /* requests sent at the same time; 0 means 1 */
};

/* How much of the store can be kept in memory. */
struct lod_prefetch_budget {
    uint64_t bytes;         /* limit of all prefixes */
    struct lod_groups base; /* of lod_prefetch_base, for the groups that these readers want */
    uint64_t kept_bytes;    /* of the loaded prefixes */
    uint64_t reserve_bytes; /* of the base of the other records */
    uint64_t copy_bytes;    /* that a local copy of the store has room for */
};

/*
 * Returns the groups that are worth keeping in memory for all records, for readers that want groups
 * from .. last; last 0: none. If all wanted groups fit in `budget`, returns all. `totals`: bytes of
 * groups 1 .. k of all records; UINT64_MAX if they are unknown.
 */
struct lod_groups lod_prefetch_base(const uint64_t totals[LOD_GROUPS_MAX + 1], unsigned from,
                                    unsigned last, uint64_t budget);

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
    struct lod_groups wanted;            /* that these readers want; last 0: groups 1 .. last */
    uint64_t requests, bytes;            /* cost of reading the missing frames alone */
    uint64_t prefix[LOD_GROUPS_MAX + 1]; /* bytes of groups 1 .. k of the record */
    bool listed;                         /* a job has announced that it reads the record */
    unsigned announced; /* it wants groups 1 .. announced, and there is room for them; 0: there is
                           none, or no job */
};

struct lod_prefetch_choice {
    unsigned first, last; /* groups to load; last 0: read the missing frames alone */
    unsigned from;        /* first group to load of the next record */
    bool short_of_memory; /* with a larger cache the choice would have been a prefix */
};

struct lod_prefetch_choice lod_prefetch_decide(const struct lod_prefetch_miss *miss,
                                               const struct lod_prefetch_cost *cost,
                                               const struct lod_prefetch_budget *budget,
                                               const struct lod_prefetch_order *order);

/*
 * Returns whether to prefetch the next record in order. `bytes` is the size of the groups that are
 * wanted. `order` is seen from that record.
 */
bool lod_prefetch_decide_ahead(uint64_t bytes, struct lod_groups wanted,
                               const struct lod_prefetch_cost *cost,
                               const struct lod_prefetch_budget *budget,
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
