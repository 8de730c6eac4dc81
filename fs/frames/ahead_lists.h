/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists of records that jobs will read, in their order: this table keeps them. It knows
 * no store, no thread and no clock; its owner has the lock and passes the time, which is monotonic.
 */
#ifndef LOD_AHEAD_LISTS_H
#define LOD_AHEAD_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"

#define LOD_AHEAD_JOBS       64u          /* jobs with a list at a time */
#define LOD_AHEAD_RECORDS    65536u       /* records in all lists together */
#define LOD_AHEAD_KEEP_S     600u         /* seconds after which an untouched list is dropped */
#define LOD_AHEAD_KEEP_S_MAX (24u * 3600) /* the most seconds that a job may set instead */

/* A request of a job to change its list. */
struct lod_ahead_request {
    uint64_t job;      /* a number that the job chose */
    uint32_t fidelity; /* enum lod_fidelity: how much of each record it reads */
    uint32_t at;       /* `records` replace the list from this place on */
    uint32_t count;
    uint32_t done;   /* number of records at the head of the list that are not needed any more */
    uint32_t keep_s; /* 0: LOD_AHEAD_KEEP_S */
    const uint32_t *records; /* numbers of records; borrowed */
};

/* The answer to a request. */
struct lod_ahead_answer {
    uint32_t ready; /* number of records after `done` that are completely in memory, or in a local
                       copy */
    uint32_t total; /* length of the list, from its place 0 */
    uint64_t bytes_missing;    /* of the records after `done` that are in neither */
    uint64_t bytes_room;       /* this job's share of the larger of the two */
    uint64_t bytes_per_second; /* of loads of listed records; 0: not measured */
};

/* Where there is room for a listed record. */
enum lod_ahead_place {
    LOD_AHEAD_NOWHERE,
    LOD_AHEAD_COPY, /* in a local copy of the store */
    LOD_AHEAD_MEMORY,
};

/* A record of a list, and what its job reads of it. */
struct lod_ahead_entry {
    uint32_t record;
    uint8_t first, last; /* groups; last 0: none */
    uint64_t bytes;      /* of these groups */
    uint64_t copy_bytes; /* that a local copy of them takes */
    uint64_t key;        /* the record's header_hash */
    uint8_t place;       /* enum lod_ahead_place; of those behind the done ones */
    bool in_copy;        /* the copy has room for it, also if it is placed in memory */
};

struct lod_ahead_job {
    uint64_t job;
    uint64_t until_ns; /* dropped then */
    uint32_t done;
    size_t next; /* the owner has nothing to do for the entries before it, until it rewinds */
    LOD_LIST(struct lod_ahead_entry);
};

/* A record, and the groups that jobs want of it. */
struct lod_ahead_want {
    uint32_t record;
    bool listed;         /* false: by no job, and all else is 0 */
    uint8_t first, last; /* groups */
    uint8_t place;       /* enum lod_ahead_place: the best one */
};

/* All zero: no job has a list. */
struct lod_ahead_lists {
    struct lod_ahead_job jobs[LOD_AHEAD_JOBS];
    unsigned count;   /* of jobs, which are in the order of their first requests */
    uint32_t records; /* in all lists */
    bool placed;      /* lod_ahead_lists_place was called for these lists and budgets: */
    uint64_t budget, copy_budget;
    struct lod_ahead_want *wants; /* a hash table of the entries that are not done; NULL: no jobs */
    unsigned wants_bits;          /* log2 of the slots in use */
};

/*
 * Changes the list of a job: request->count entries from place `at` on replace the rest of the
 * list. At the end of the list, no entries only touch it. At place 0, they end the job. `*ret_job`:
 * the job with its list; NULL: it has ended. Errors change nothing: -EINVAL for a fidelity, keep_s
 * or `done` outside its range, -ESTALE if `at` is past the end of the list, which may have been
 * dropped, -E2BIG if there are too many jobs or records, -ENOMEM.
 */
LOD_MUST_CHECK int lod_ahead_lists_update(struct lod_ahead_lists *lists, uint64_t now_ns,
                                          const struct lod_ahead_request *request,
                                          const struct lod_ahead_entry *entries,
                                          const struct lod_ahead_job **ret_job);

/* Drops the lists whose time is over. Returns how many were dropped. */
unsigned lod_ahead_lists_expire(struct lod_ahead_lists *lists, uint64_t now_ns);

/* Returns when the next list is dropped unless its job sends a request; UINT64_MAX: there is no
 * list. */
uint64_t lod_ahead_lists_until(const struct lod_ahead_lists *lists);

/*
 * Places the entries that are not done. Jobs share the budgets evenly. The first entries of a job
 * get places in memory and in the copy, and then others in the copy alone, as far as its shares go.
 * Also calls lod_ahead_lists_rewind, unless nothing has changed since the last call.
 */
void lod_ahead_lists_place(struct lod_ahead_lists *lists, uint64_t budget, uint64_t copy_budget);

/* Returns the groups that jobs want of a record, as of the last call of lod_ahead_lists_place. */
struct lod_ahead_want lod_ahead_lists_want(const struct lod_ahead_lists *lists, uint32_t record);

/* Sets `next` of all jobs to the first entry that is not done. */
void lod_ahead_lists_rewind(struct lod_ahead_lists *lists);

/* Returns the share of one job. */
uint64_t lod_ahead_lists_share(const struct lod_ahead_lists *lists, uint64_t budget);

/* A walk over the entries that are not done: one of each job, then the next one of each. */
struct lod_ahead_turns {
    const struct lod_ahead_lists *lists;
    size_t turn; /* number of entries of each job that were returned */
    unsigned job;
};

/* Returns NULL at the end. */
const struct lod_ahead_entry *lod_ahead_turns_next(struct lod_ahead_turns *turns);

void lod_ahead_lists_finish(struct lod_ahead_lists *lists);

#endif
