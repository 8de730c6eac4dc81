/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of prefetching, and the numbers for prefetch_policy.h. Shared by prefetch.c, which
 * readers call, and prefetch_loads.c, which loads.
 */
#ifndef LOD_PREFETCH_STATE_H
#define LOD_PREFETCH_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backend/io_buffer.h"
#include "frames/access_history.h"
#include "frames/ahead_held.h"
#include "frames/ahead_lists.h"
#include "frames/prefetch_policy.h"
#include "framecache/fetch.h"

struct lod_prefetch {
    struct lod_fetch *fetch;
    struct lod_access_history history;
    atomic_uint_fast64_t room_bytes;    /* limit of all prefixes */
    atomic_uint_fast64_t room_until_ns; /* valid until then; UINT64_MAX: for ever */
    atomic_uint_fast64_t record;        /* last record that was read */
    atomic_uint_fast64_t short_of_room; /* misses that a larger cache would have avoided */
    atomic_uint_fast64_t advised;       /* see lod_prefetch_advice */

    atomic_uint told; /* lists; without the lock it may be a little old */

    atomic_bool summed;                  /* totals are set and constant */
    uint64_t totals[LOD_GROUPS_MAX + 1]; /* bytes of groups 1 .. k of all records */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t moved;
    bool loading;                /* a load is in flight, */
    bool ahead;                  /* for which no reader waits, */
    uint32_t loaded_record;      /* of this record */
    unsigned demands;            /* readers that wait to load another record */
    bool over;                   /* no other load may begin */
    uint64_t steps;              /* counts steps and ends of loads */
    struct lod_io_buffer buffer; /* of the load in flight; its thread uses it without the lock */
    bool threads;                /* may it start the thread? */
    pthread_t thread;
    bool has_thread, has_next;
    uint32_t next_item; /* prefetch the record of this item */
    struct lod_groups next_groups;
    struct lod_ahead_lists lists; /* told by jobs */
    struct lod_ahead_held held;   /* the listed records in memory */
    uint64_t look_ns;             /* when held records of a shared store are looked at again */
    unsigned turn;                /* the job whose record is loaded next */
    uint64_t load_bytes, load_ns; /* of loads of listed records, the recent ones weighing more */
};

/* Returns how many bytes all prefixes may take now. */
uint64_t lod_prefetch_room(struct lod_prefetch *prefetch);

/* Returns the measured cost of requests. */
struct lod_prefetch_cost lod_prefetch_cost_now(const struct lod_prefetch *prefetch);
/* Returns room and order for a decision about one record, whose readers want groups `from` and up.
 */
void lod_prefetch_state(struct lod_prefetch *prefetch, uint32_t record, unsigned from,
                        struct lod_prefetch_room *ret_room, struct lod_prefetch_order *ret_order);

/* Returns the bytes of these groups of all records; UINT64_MAX on overflow or error. */
uint64_t lod_prefetch_total(struct lod_prefetch *prefetch, struct lod_groups groups);

/* Notes that these groups of the record are loaded, beside those that adjoin them. */
void lod_prefetch_note_loaded(struct lod_prefetch *prefetch, const struct lod_record_desc *recd,
                              struct lod_groups groups);

#endif
