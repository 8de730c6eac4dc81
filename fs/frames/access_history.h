/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recent reads and loads of each record. It shows whether readers go through the records in
 * turn, and how many bytes must stay in memory for that order. It counts without locks. A race, or
 * two records that share a row, can cause a worse decision but never a wrong byte.
 */
#ifndef LOD_ACCESS_HISTORY_H
#define LOD_ACCESS_HISTORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "frames/prefetch_policy.h"

#define LOD_WINDOW      1024u /* recent reads that count */
#define LOD_NEAR_WINDOW 64u   /* recent reads that decide whether records are read in turn */

struct lod_access_record {
    atomic_uint_fast64_t record; /* number + 1; 0: none */
    atomic_uint_fast64_t seen;   /* number of its last read */
    atomic_uint_fast64_t bytes;  /* of the longest prefix requested since it was first seen */
    atomic_uint_fast32_t item;   /* last item that was read */
    atomic_uint_fast32_t asked;  /* items read since then; successive reads of an item count once */
    atomic_uint loaded;          /* groups that were loaded: first << 8 | last; 0: none */
    atomic_uint_fast64_t kept;   /* bytes of these groups */
    /* The page cache did not have the record: the kernel is not asked again before this time. */
    atomic_uint_fast64_t no_query_until_ns;
    atomic_uint_fast64_t no_second_query_until_ns; /* the same, after a slow read */
};

struct lod_access_history {
    atomic_uint_fast64_t reads;
    atomic_uint hand; /* the row that lod_access_history_sweep visits next */
    uint32_t count;   /* of rows; the row of a record is its number modulo this */
    struct lod_access_record *records;
};

/* `records`: how many the store has. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_access_history_init(struct lod_access_history *history, uint32_t records);
void lod_access_history_finish(struct lod_access_history *history);

/* Counts a read of `item` in `record`. `bytes` is the size of the prefix that contains the
 * requested groups. */
void lod_access_history_read(struct lod_access_history *history, uint32_t record, uint32_t item,
                             uint64_t bytes);

/* A summary of the last reads, for a decision about one record. */
struct lod_access_summary {
    struct lod_prefetch_order order;
    uint32_t loaded_records; /* how many records are loaded */
    uint64_t loaded_bytes;   /* size of their prefixes together */
};
void lod_access_history_sum(const struct lod_access_history *history, uint32_t record,
                            struct lod_access_summary *ret_summary);

/* Returns whether to ask the kernel now if the record is in memory. If so, returns false for the
 * next `ns`. */
bool lod_access_history_may_ask(struct lod_access_history *history, uint32_t record, uint64_t ns);

/* The same for reads that should have come from memory and were slow. */
bool lod_access_history_may_ask_again(struct lod_access_history *history, uint32_t record,
                                      uint64_t ns);
/* Postpones the next such question until `ns` from now, because the last one took long. */
void lod_access_history_postpone(struct lod_access_history *history, uint32_t record, uint64_t ns);

/* Returns the groups of the record that were loaded. */
struct lod_groups lod_access_history_loaded(const struct lod_access_history *history,
                                            uint32_t record);
/* Notes that these groups, of `bytes` bytes, are loaded, and no others; last 0: none. */
void lod_access_history_set_loaded(struct lod_access_history *history, uint32_t record,
                                   struct lod_groups groups, uint64_t bytes);

/*
 * Visits some rows and clears the loads of records that are no longer read. In a shuffled order a
 * record is read once in as many reads as there are records.
 */
void lod_access_history_sweep(struct lod_access_history *history);

#endif
