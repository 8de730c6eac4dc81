/* SPDX-License-Identifier: Apache-2.0 */
/* A table indexed by record number, updated without locks; see access_history.h. */
#include "frames/access_history.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"

#define PLACES_MAX 65536u /* 3.5 MiB; enough for 4 TiB of records of the usual size */
#define PLACES_MIN 16u
/* Records are read in turn if on average each of them got at least this many of the last 64 reads.
 * In random reads of more than 16 records each gets fewer. */
#define IN_TURN     4u
#define SWEEP_ROWS  64u /* rows that one sweep visits */
#define STALE_TIMES 16u /* times the mean distance of two reads of a record in random order */

#define LOAD(at)         atomic_load_explicit(&(at), memory_order_relaxed)
#define STORE(at, value) atomic_store_explicit(&(at), (value), memory_order_relaxed)

int lod_access_history_init(struct lod_access_history *history, uint32_t records)
{
    uint32_t count = records < PLACES_MIN ? PLACES_MIN : records;

    *history = (struct lod_access_history){.count = count < PLACES_MAX ? count : PLACES_MAX};
    history->records = calloc(history->count, sizeof(*history->records));
    return history->records ? 0 : -ENOMEM;
}

void lod_access_history_finish(struct lod_access_history *history)
{
    free(history->records);
    history->records = NULL;
}

static struct lod_access_record *place_of(const struct lod_access_history *history, uint32_t record)
{
    return &history->records[record % history->count];
}

void lod_access_history_read(struct lod_access_history *history, uint32_t record, uint32_t item,
                             uint64_t bytes)
{
    struct lod_access_record *at = place_of(history, record);
    uint64_t now = atomic_fetch_add_explicit(&history->reads, 1, memory_order_relaxed) + 1;
    bool same = LOAD(at->record) == (uint64_t)record + 1;

    if (!same || LOAD(at->seen) + LOD_WINDOW < now) {
        STORE(at->record, (uint64_t)record + 1);
        STORE(at->bytes, bytes);
        STORE(at->item, item);
        STORE(at->asked, 1);
        if (!same) {
            STORE(at->loaded, 0);
            STORE(at->kept, 0);
            STORE(at->no_query_until_ns, 0);
        }
    } else {
        if (LOAD(at->item) != item) {
            STORE(at->item, item);
            STORE(at->asked, LOAD(at->asked) + 1);
        }
        if (LOAD(at->bytes) < bytes) {
            STORE(at->bytes, bytes);
        }
    }
    STORE(at->seen, now);
}

void lod_access_history_sum(const struct lod_access_history *history, uint32_t record,
                            struct lod_access_summary *ret_summary)
{
    uint64_t now = LOAD(history->reads), others = 0, near_bytes = 0;
    unsigned records = 0, near = 0;
    struct lod_access_summary summary = {0};
    struct lod_prefetch_order *order = &summary.order;

    for (uint32_t i = 0; i < history->count; i++) {
        const struct lod_access_record *at = &history->records[i];
        uint64_t is = LOAD(at->record), seen = LOAD(at->seen);
        summary.loaded_records += LOAD(at->loaded) != 0;
        summary.loaded_bytes += LOAD(at->kept);
        if (!is || seen + LOD_WINDOW < now) {
            continue;
        }
        records++;
        near += seen + LOD_NEAR_WINDOW >= now;
        near_bytes += seen + LOD_NEAR_WINDOW >= now ? LOAD(at->bytes) : 0;
        order->bytes += LOAD(at->bytes);
        if (is == (uint64_t)record + 1) {
            order->asked = (unsigned)LOAD(at->asked);
        } else {
            others += LOAD(at->asked);
        }
    }
    unsigned rest = records - (order->asked > 0);
    order->asked_mean = rest ? (unsigned)(others / rest) : 0;
    order->in_turn = near * IN_TURN <= LOD_NEAR_WINDOW;
    order->bytes = order->in_turn ? near_bytes : order->bytes;
    *ret_summary = summary;
}

/* Returns whether the time `until` has passed, or the row has another record. If so, sets it to
 * `ns` from now. */
static bool is_over(const struct lod_access_record *at, uint32_t record,
                    atomic_uint_fast64_t *until, uint64_t ns)
{
    const uint64_t now = lod_clock_ns();
    const bool over = LOAD(at->record) != (uint64_t)record + 1 || now >= LOAD(*until);

    if (over) {
        STORE(*until, now + ns);
    }
    return over;
}

bool lod_access_history_may_ask(struct lod_access_history *history, uint32_t record, uint64_t ns)
{
    struct lod_access_record *at = place_of(history, record);

    return is_over(at, record, &at->no_query_until_ns, ns);
}

bool lod_access_history_may_ask_again(struct lod_access_history *history, uint32_t record,
                                      uint64_t ns)
{
    struct lod_access_record *at = place_of(history, record);

    return is_over(at, record, &at->no_second_query_until_ns, ns);
}

void lod_access_history_postpone(struct lod_access_history *history, uint32_t record, uint64_t ns)
{
    struct lod_access_record *at = place_of(history, record);

    if (LOAD(at->record) == (uint64_t)record + 1) {
        STORE(at->no_second_query_until_ns, lod_clock_ns() + ns);
    }
}

struct lod_groups lod_access_history_loaded(const struct lod_access_history *history,
                                            uint32_t record)
{
    const struct lod_access_record *at = place_of(history, record);
    const unsigned loaded = LOAD(at->record) == (uint64_t)record + 1 ? LOAD(at->loaded) : 0;

    return (struct lod_groups){.first = loaded >> 8, .last = loaded & 0xff};
}

void lod_access_history_set_loaded(struct lod_access_history *history, uint32_t record,
                                   struct lod_groups groups, uint64_t bytes)
{
    struct lod_access_record *at = place_of(history, record);

    if (LOAD(at->record) != (uint64_t)record + 1) { /* loaded before its first read */
        STORE(at->record, (uint64_t)record + 1);
        STORE(at->seen, LOAD(history->reads));
        STORE(at->bytes, 0);
        STORE(at->asked, 0);
    }
    STORE(at->loaded, groups.last ? groups.first << 8 | groups.last : 0);
    STORE(at->kept, groups.last ? bytes : 0);
}

void lod_access_history_sweep(struct lod_access_history *history)
{
    uint64_t now = LOAD(history->reads);

    for (unsigned i = 0; i < SWEEP_ROWS; i++) {
        unsigned hand = atomic_fetch_add_explicit(&history->hand, 1, memory_order_relaxed);
        struct lod_access_record *at = &history->records[hand % history->count];
        if (now - LOAD(at->seen) > LOD_WINDOW + (uint64_t)STALE_TIMES * history->count) {
            STORE(at->loaded, 0);
            STORE(at->kept, 0);
        }
    }
}
