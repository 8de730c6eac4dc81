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

#include "frames/access_history.h"
#include "frames/ahead_held.h"
#include "frames/ahead_lists.h"
#include "frames/load_rate.h"
#include "frames/load_slots.h"
#include "frames/prefetch_policy.h"
#include "framecache/fetch.h"
#include "durations.h"

/* The next record to load for sequential readers, while no job has a list. Loads follow the order
 * of records of one codec. */
struct lod_prefetch_hint {
    uint64_t number; /* counts the calls of lod_prefetch_ahead */
    uint32_t item;   /* the record's first item; for the first record, any of its items */
    struct lod_groups groups;
    const struct lod_codec *codec; /* NULL: this is the first record */
    unsigned records;              /* loaded before this one */
    uint64_t bytes;                /* that may still be loaded after these groups */
};

struct lod_prefetch {
    struct lod_fetch *fetch;
    struct lod_access_history history;
    atomic_uint_fast64_t budget_bytes;    /* limit of all prefixes */
    atomic_uint_fast64_t budget_until_ns; /* valid until then; UINT64_MAX: for ever */
    atomic_uint_fast64_t record;          /* last record that was read */
    atomic_uint_fast64_t short_of_memory; /* misses that a larger cache would have avoided */
    atomic_uint_fast64_t advised;         /* see lod_prefetch_advice */

    /*
     * The last group that readers want, by the first group that they want. Pictures that lack some
     * groups, and lower fidelities, do not change it, so that all decisions share one base.
     */
    atomic_uint last_wanted[LOD_GROUPS_MAX + 1];

    atomic_uint_fast64_t outside; /* reads of records that no list names, while there was a list */
    atomic_uint list_count;       /* of jobs; without the lock it may be a little old */

    atomic_bool summed;                  /* totals are set and constant */
    uint64_t totals[LOD_GROUPS_MAX + 1]; /* bytes of groups 1 .. k of all records */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t moved;
    struct lod_load_slots slots;   /* window.most does not change */
    struct lod_load_rate rate;     /* of all loads together */
    struct lod_duration_sum waits; /* of readers, for loads */
    uint64_t unlisted_ns;          /* when a reader outside the lists last began a read; 0: never */
    bool over;                     /* no other load may begin */
    uint64_t steps;                /* counts steps and ends of loads */
    bool threads;                  /* may it start threads? */
    unsigned thread_count;
    pthread_t thread[LOD_LOADS_MAX];
    uint64_t hints; /* calls of lod_prefetch_ahead */
    bool has_hint;  /* `hint` has to be loaded */
    struct lod_prefetch_hint hint;
    struct lod_ahead_lists lists; /* announced by jobs */
    struct lod_ahead_held held;   /* the listed records that are loaded */
    uint64_t copy_budget;         /* of a local copy of the store for listed records */
    uint64_t check_ns;            /* when listed records without pins are checked again */
    /* when listed records that found no room in a copy are tried again; 0: there are none */
    uint64_t again_ns;
    unsigned turn; /* the job whose record is loaded next */
};

/* Returns how many bytes all prefixes and lists may take now. */
uint64_t lod_prefetch_budget(struct lod_prefetch *prefetch);

/*
 * Returns how many of them prefixes may take that no list names. Made units share the cache with
 * the frames of a private store. Such prefixes leave them up to a third of the budget, which is a
 * quarter of the cache, so that frames read alone find memory and evict no prefix. A list has the
 * whole budget, since its frames are pinned.
 */
uint64_t lod_prefetch_budget_beside_units(struct lod_prefetch *prefetch);

/* Returns the measured cost of requests. */
struct lod_prefetch_cost lod_prefetch_cost_now(const struct lod_prefetch *prefetch);
/* Returns budget and order for a decision about one record, whose readers want these groups. */
void lod_prefetch_state(struct lod_prefetch *prefetch, uint32_t record, struct lod_groups wanted,
                        struct lod_prefetch_budget *ret_budget,
                        struct lod_prefetch_order *ret_order);

/* Returns the size of a cache whose budget has room for these groups of all records, beside made
 * units as there are now. UINT64_MAX: no cache is so large. */
uint64_t lod_prefetch_cache_for(struct lod_prefetch *prefetch, struct lod_groups groups);

/* Notes that these groups of the record are loaded,
 * in addition to loaded groups adjacent to them. */
void lod_prefetch_note_loaded(struct lod_prefetch *prefetch, const struct lod_record_desc *recd,
                              struct lod_groups groups);

#endif
