/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the numbers from estimate, history, index and available memory; see prefetch_state.h. */
#include "frames/prefetch_state.h"

#include <string.h>

#include "clock.h"
#include "memory/available.h"

#define BUDGET_NS    (5 * LOD_SECOND_NS) /* the available memory is read again after this time */
#define MIB          (UINT64_C(1) << 20)
#define ENTRIES_FREE 8u /* an eighth */

struct lod_prefetch_cost lod_prefetch_cost_now(const struct lod_prefetch *prefetch)
{
    const struct lod_io_estimate *estimate = &prefetch->fetch->estimate;

    return (struct lod_prefetch_cost){.memory = lod_io_estimate_is_memory(estimate),
                                      .latency_ns = lod_io_estimate_latency(estimate),
                                      .bandwidth = lod_io_estimate_bandwidth(estimate),
                                      .ranges = estimate->ranges};
}

/* Adds up the index once, when the store is slow for the first time. Two threads that do so
 * simultaneously get the same result. */
static const uint64_t *totals_of(struct lod_prefetch *prefetch)
{
    uint64_t totals[LOD_GROUPS_MAX + 1];

    if (!atomic_load_explicit(&prefetch->summed, memory_order_acquire)) {
        lod_dataset_group_totals(prefetch->fetch->dataset, totals);
        pthread_mutex_lock(&prefetch->lock);
        if (!atomic_load_explicit(&prefetch->summed, memory_order_relaxed)) {
            memcpy(prefetch->totals, totals, sizeof(totals));
            atomic_store_explicit(&prefetch->summed, true, memory_order_release);
        }
        pthread_mutex_unlock(&prefetch->lock);
    }
    return prefetch->totals;
}

/* Other programs use the page cache too: takes half of the available memory. */
uint64_t lod_prefetch_budget(struct lod_prefetch *prefetch)
{
    uint64_t now = lod_clock_ns();

    /* The bytes are stored before the time, so a thread that sees the time sees the bytes too. */
    if (now > atomic_load_explicit(&prefetch->budget_until_ns, memory_order_acquire)) {
        atomic_store_explicit(&prefetch->budget_bytes, lod_available_bytes() / 2,
                              memory_order_relaxed);
        atomic_store_explicit(&prefetch->budget_until_ns, now + BUDGET_NS, memory_order_release);
    }
    return atomic_load_explicit(&prefetch->budget_bytes, memory_order_relaxed);
}

uint64_t lod_prefetch_budget_beside_units(struct lod_prefetch *prefetch)
{
    const uint64_t all = lod_prefetch_budget(prefetch),
                   units =
                       prefetch->fetch->shared ? 0 : lod_frame_arena_others(prefetch->fetch->arena);

    return all - (units < all / 3 ? units : all / 3);
}

/* Returns UINT64_MAX, which fits in no memory, if the sum of the store overflows. */
static uint64_t total_of(const uint64_t *totals, unsigned from, unsigned last)
{
    return totals[last] == UINT64_MAX ? UINT64_MAX : totals[last] - totals[from - 1];
}

/*
 * A loaded frame has an entry in memory; a frame in the page cache has none. The entries of usual
 * photographs take a few percent of the frames' bytes, for which there is memory outside the limit
 * of prefixes. Those of small photographs take as much as the frames. Returns by how much the
 * entries of all frames of these groups exceed ENTRIES_FREE of the frames' bytes.
 */
static uint64_t entry_bytes(const struct lod_fetch *fetch, const uint64_t *totals,
                            struct lod_groups groups)
{
    const uint64_t free = total_of(totals, groups.first, groups.last) / ENTRIES_FREE;
    uint64_t frames = 0;

    for (unsigned k = groups.first; !fetch->shared && k <= groups.last; k++) {
        frames += totals[k] > totals[k - 1] ? lod_dataset_items(fetch->dataset) : 0;
    }
    const uint64_t bytes = frames * sizeof(struct lod_frame_entry);
    return bytes > free ? bytes - free : 0;
}

/* Returns how many bytes of these groups fit in `budget` bytes of memory. */
static uint64_t budget_of_frames(const struct lod_fetch *fetch, const uint64_t *totals,
                                 struct lod_groups groups, uint64_t budget)
{
    const uint64_t bytes = total_of(totals, groups.first, groups.last),
                   entries = entry_bytes(fetch, totals, groups);
    const bool all = entries <= budget && bytes <= budget - entries;

    return all ? budget - entries
           : entries
               ? (uint64_t)((double)budget * ((double)bytes / ((double)bytes + (double)entries)))
               : budget;
}

void lod_prefetch_state(struct lod_prefetch *prefetch, uint32_t record, struct lod_groups wanted,
                        struct lod_prefetch_budget *ret_budget,
                        struct lod_prefetch_order *ret_order)
{
    uint32_t records = lod_dataset_records(prefetch->fetch->dataset);
    struct lod_access_summary summary;
    const uint64_t all = lod_prefetch_budget_beside_units(prefetch),
                   pinned = atomic_load_explicit(&prefetch->fetch->pinned, memory_order_relaxed);
    struct lod_prefetch_budget budget = {0};
    uint64_t base_bytes = 0, expected = 0;

    (void)lod_dataset_copies(prefetch->fetch->dataset, 0, &budget.copy_bytes);

    lod_access_history_sum(&prefetch->history, record, &summary);
    const uint64_t *totals = totals_of(prefetch);
    budget.bytes =
        budget_of_frames(prefetch->fetch, totals, wanted, all > pinned ? all - pinned : 0);
    budget.base = lod_prefetch_base(totals, wanted.first, wanted.last, budget.bytes);
    base_bytes = budget.base.last ? total_of(totals, budget.base.first, budget.base.last) : 0;
    records = records > summary.loaded_records ? records - summary.loaded_records : 0;
    if (prefetch->slots.window.most > 1) { /* others decide at the same time */
        pthread_mutex_lock(&prefetch->lock);
        expected = lod_load_slots_expected(&prefetch->slots);
        pthread_mutex_unlock(&prefetch->lock);
    }
    budget.kept_bytes = summary.loaded_bytes + expected;
    budget.reserve_bytes = base_bytes / (records + summary.loaded_records + 1) * records;
    *ret_budget = budget;
    *ret_order = summary.order;
}

uint64_t lod_prefetch_cache_for(struct lod_prefetch *prefetch, struct lod_groups groups)
{
    const uint64_t *totals = totals_of(prefetch);
    const uint64_t bytes = total_of(totals, groups.first, groups.last);
    const uint64_t all = lod_prefetch_budget(prefetch),
                   left = lod_prefetch_budget_beside_units(prefetch);
    const double times = left ? (double)all / (double)left : 1;

    if (bytes == UINT64_MAX) {
        return bytes;
    }
    const uint64_t total = bytes + entry_bytes(prefetch->fetch, totals, groups);
    return ((uint64_t)((double)total / 3 * 4 * times) / MIB + 1) * MIB;
}

void lod_prefetch_note_loaded(struct lod_prefetch *prefetch, const struct lod_record_desc *recd,
                              struct lod_groups groups)
{
    const struct lod_groups before = lod_access_history_loaded(&prefetch->history, recd->number);

    if (before.last && groups.first <= before.last + 1 && before.first <= groups.last + 1) {
        groups.first = before.first < groups.first ? before.first : groups.first;
        groups.last = before.last > groups.last ? before.last : groups.last;
    }
    lod_access_history_set_loaded(&prefetch->history, recd->number, groups,
                                  lod_record_desc_bytes(recd, groups.first, groups.last));
}
