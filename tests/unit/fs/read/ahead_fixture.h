/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of records that jobs announce. No thread loads records here: the test asks for the next
 * one, and reports that it was loaded.
 */
#ifndef LOD_AHEAD_FIXTURE_H
#define LOD_AHEAD_FIXTURE_H

#include "frames/prefetch.h"
#include "frames/prefetch_ahead.h"
#include "reader_fixture.h"

#define RECORDS 12u
#define ITEMS   20u
#define GROUP   (ITEMS * (uint64_t)FRAME_BYTES)
#define NONE    UINT32_MAX

static struct lod_fetch fetch;
static struct lod_prefetch prefetch;
static struct lod_ahead_answer answer;
static uint64_t budget;

/* Records of ITEMS items of 3 groups of one size. */
static inline struct lod_item item_of(uint32_t number)
{
    struct lod_item of = item_in_record(number, ITEMS, 3);

    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        of.recd.group_bytes[g] = g < 10 ? GROUP : 0;
    }
    of.recd.header_hash = 1000 + of.recd.number;
    return of;
}

/* Begins with room for this many groups of a record. */
static inline void begin(unsigned groups)
{
    items_of = item_of;
    items_end = RECORDS * ITEMS;
    budget = groups * GROUP;
    fetch = (struct lod_fetch){.shared = false};
    cr_assert_eq(lod_prefetch_init(&prefetch, &fetch,
                                   &(struct lod_prefetch_options){.budget_bytes = budget}),
                 0);
}

static inline void end(void)
{
    lod_prefetch_finish(&prefetch);
    cr_assert_eq(atomic_load(&fetch.pinned), 0);
}

static inline int announce(uint64_t job, unsigned fidelity, uint32_t at, uint32_t count,
                           uint32_t done, const uint32_t *records)
{
    const struct lod_ahead_request request = {.job = job,
                                              .fidelity = fidelity,
                                              .at = at,
                                              .count = count,
                                              .done = done,
                                              .records = records};

    return lod_prefetch_announce(&prefetch, &request, &answer);
}

/* Returns the record that would be loaded next. */
static inline uint32_t next(void)
{
    struct lod_ahead_entry entry;

    pthread_mutex_lock(&prefetch.lock);
    lod_prefetch_ahead_pass(&prefetch, budget);
    const bool any = lod_prefetch_ahead_next(&prefetch, budget, &entry);
    pthread_mutex_unlock(&prefetch.lock);
    return any ? entry.record : NONE;
}

static inline void end_load(uint32_t record, unsigned last, int error)
{
    struct lod_frame_pins pins = {.bytes = &fetch.pinned};

    lod_prefetch_hold(&prefetch, record, (struct lod_groups){1, last}, error, &pins);
}

/* Loads the next record, up to this group, and returns it. */
static inline uint32_t load(unsigned last)
{
    const uint32_t record = next();

    if (record != NONE) {
        end_load(record, last, 0);
    }
    return record;
}

/* Returns what the local copy needs for two groups of a record. */
static inline uint64_t copy_of_two(void)
{
    const struct lod_item of = item_of(0);

    return lod_load_whole(LOD_RECORD_HEADER + (uint64_t)of.recd.metadata_bytes + 2 * GROUP);
}

#endif
