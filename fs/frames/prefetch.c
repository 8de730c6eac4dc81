/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the numbers for decisions, and implements the calls of readers; see prefetch.h. */
#include "frames/prefetch.h"

#include <errno.h>
#include <inttypes.h>

#include "clock.h"
#include "frames/prefetch_ahead.h"
#include "frames/prefetch_loads.h"
#include "frames/prefetch_threads.h"
#include "log.h"

#define ADVISE_AFTER 256u
#define WARN_AFTER   1000u /* after this many reads of unlisted records, a warning names one file */
#define MIB          (1u << 20)
#define CHECK_NS     LOD_SECOND_NS /* between two queries whether a record is in memory */
/* The shortest time between two queries after slow reads. A query costs as much as 50 reads, and a
 * read can also be slow because its thread was preempted. */
#define SECOND_QUERY_NS (LOD_SECOND_NS / 50)
#define QUERY_SHARE     128u /* queries take at most 1/128 of the time */

/* Returns the groups that a reader wants. */
static struct lod_groups groups_of(const struct lod_wanted *wanted, unsigned count)
{
    struct lod_groups groups = {.first = LOD_GROUPS_MAX};

    for (unsigned i = 0; i < count; i++) {
        groups.first = wanted[i].group < groups.first ? wanted[i].group : groups.first;
        groups.last = wanted[i].group > groups.last ? wanted[i].group : groups.last;
    }
    return groups;
}

/* Returns these groups up to the last one that any reader with this first group has wanted. */
static struct lod_groups usual_groups(struct lod_prefetch *prefetch, struct lod_groups groups)
{
    atomic_uint *last = &prefetch->last_wanted[groups.first];
    const unsigned before = atomic_load_explicit(last, memory_order_relaxed);

    if (before < groups.last) {
        atomic_store_explicit(last, groups.last, memory_order_relaxed);
        return groups;
    }
    return (struct lod_groups){groups.first, before};
}

/* Returns whether this frame of a shared store is in the kernel's page cache. */
static bool is_in_memory(const struct lod_prefetch *prefetch, const struct lod_item *item,
                         const struct lod_wanted *wanted)
{
    const struct lod_groups group = {wanted->group, wanted->group};
    bool is = false;

    if (!prefetch->fetch->shared || !lod_dataset_has_record(prefetch->fetch->dataset, item)) {
        return false;
    }
    return lod_fetch_in_memory(prefetch->fetch, item, wanted, &is) == -ENOTSUP
               ? lod_groups_hold(lod_access_history_loaded(&prefetch->history, item->recd.number),
                                 group)
               : is;
}

/* Returns whether a local copy of the store has all missing frames, so that no load is needed. */
static bool are_copied(const struct lod_prefetch *prefetch, const struct lod_item *item,
                       const struct lod_wanted *wanted, unsigned count)
{
    struct lod_fetch *fetch = prefetch->fetch;

    if (!fetch->copies || (!lod_dataset_has_record(fetch->dataset, item) &&
                           !lod_dataset_groups_copied(fetch->dataset, &item->recd, 1, 0))) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!wanted[i].chunk && !lod_fetch_is_copied(fetch, item, &wanted[i])) {
            return false;
        }
    }
    return true;
}

/* Looks the record up in the lists of jobs; readers want groups from `from` on. */
static void set_announced(struct lod_prefetch *prefetch, uint32_t record, unsigned from,
                          struct lod_prefetch_miss *miss)
{
    enum lod_ahead_place place;
    const struct lod_groups listed = lod_prefetch_listed(prefetch, record, &place);

    miss->listed = listed.last && listed.first <= from;
    miss->announced = miss->listed && place != LOD_AHEAD_NOWHERE ? listed.last : 0;
}

/* Describes the missing frames of readers that want `groups`. Frames in the kernel's page cache do
 * not count. requests is 0 if none is missing. */
static struct lod_prefetch_miss miss_of(struct lod_prefetch *prefetch, const struct lod_item *item,
                                        const struct lod_wanted *wanted, unsigned count,
                                        struct lod_groups groups)
{
    struct lod_prefetch_miss miss = {.first = LOD_GROUPS_MAX, .wanted = groups};

    for (unsigned i = 0; i < count; i++) {
        if (!wanted[i].chunk && !is_in_memory(prefetch, item, &wanted[i])) {
            miss.first = wanted[i].group < miss.first ? wanted[i].group : miss.first;
            miss.last = wanted[i].group > miss.last ? wanted[i].group : miss.last;
            miss.requests++;
        }
    }
    for (unsigned k = 1; k <= LOD_GROUPS_MAX; k++) {
        miss.prefix[k] = lod_record_desc_prefix_bytes(&item->recd, k);
    }
    set_announced(prefetch, item->recd.number, groups.first, &miss);
    miss.bytes = miss.requests
                     ? (miss.prefix[miss.last] - miss.prefix[miss.first - 1]) / item->recd.items
                     : 0;
    return miss;
}

/* Counts a read of the store whose record or groups no list names, while jobs have lists. */
static void count_unlisted(struct lod_prefetch *prefetch, const struct lod_item *item,
                           const struct lod_prefetch_miss *miss)
{
    char path[LOD_PATH_MAX + 1];

    if (miss->listed || !lod_prefetch_has_lists(prefetch) ||
        atomic_fetch_add_explicit(&prefetch->outside, 1, memory_order_relaxed) + 1 != WARN_AFTER) {
        return;
    }
    lod_dataset_item_path(prefetch->fetch->dataset, item, path);
    lod_log(LOD_LOG_WARNING,
            "%u reads were for files that no job has listed, such as %pE; they wait for the store: "
            "do not read such files, or pack them beside those that the jobs list",
            WARN_AFTER, path);
}

/* Logs one line after ADVISE_AFTER misses that a larger cache would have avoided. */
static void advise(struct lod_prefetch *prefetch, struct lod_groups groups)
{
    if (atomic_fetch_add_explicit(&prefetch->short_of_memory, 1, memory_order_relaxed) !=
        ADVISE_AFTER) {
        return;
    }
    const uint64_t bytes = lod_prefetch_cache_for(prefetch, groups);

    atomic_store_explicit(&prefetch->advised, bytes, memory_order_relaxed);
    if (bytes == UINT64_MAX) {
        lod_log(LOD_LOG_WARNING,
                "reads jump among more records than memory can hold, so the same bytes"
                " are read again: read the files in the order of the records");
    } else {
        lod_log(LOD_LOG_WARNING,
                "reads jump among more records than the cache can hold, so the same bytes are read"
                " again: mount with -o cache_size=%" PRIu64
                "M, or read the files in the order of the records",
                bytes / MIB);
    }
}

uint64_t lod_prefetch_advice(const struct lod_prefetch *prefetch)
{
    return atomic_load_explicit(&prefetch->advised, memory_order_relaxed);
}

/* ---------------------------------------------------------------------------------- readers */

/* Counts the read. If a reader moved from a record to the next one, prefetches the record after
 * that. */
void lod_prefetch_note(struct lod_prefetch *prefetch, const struct lod_item *item,
                       const struct lod_wanted *wanted, unsigned count)
{
    const struct lod_groups groups = groups_of(wanted, count);
    uint64_t before = atomic_load_explicit(&prefetch->record, memory_order_relaxed);

    lod_access_history_read(&prefetch->history, item->recd.number, item->number,
                            lod_record_desc_bytes(&item->recd, groups.first, groups.last));
    if (before != item->recd.number) {
        atomic_store_explicit(&prefetch->record, item->recd.number, memory_order_relaxed);
    }
    if (before + 1 == item->recd.number && !lod_prefetch_cost_now(prefetch).memory) {
        lod_prefetch_ahead(prefetch, item, groups);
    }
}

static enum lod_prefetch_done done_of(enum lod_prefetch_begun begun)
{
    return begun == LOD_PREFETCH_STUCK ? LOD_PREFETCH_NONE : LOD_PREFETCH_MOVED;
}

/* The speed of the store is unknown. Adopts the estimate of the index, which is measured on its own
 * reads, or lets the caller send one small request. */
static enum lod_prefetch_done begin_first(struct lod_prefetch *prefetch, uint32_t record)
{
    const enum lod_prefetch_begun begun = lod_prefetch_begin(prefetch, record);

    if (begun != LOD_PREFETCH_MINE) {
        return done_of(begun);
    }
    if (lod_io_estimate_adopt(&prefetch->fetch->estimate,
                              lod_dataset_index_io_estimate(prefetch->fetch->dataset))) {
        lod_prefetch_end(prefetch, record);
        return LOD_PREFETCH_MOVED;
    }
    return LOD_PREFETCH_FIRST;
}

static struct lod_prefetch_choice decide(struct lod_prefetch *prefetch,
                                         const struct lod_prefetch_cost *cost, uint32_t record,
                                         const struct lod_prefetch_miss *miss)
{
    struct lod_prefetch_order order;
    struct lod_prefetch_budget budget;

    lod_prefetch_state(prefetch, record, miss->wanted, &budget, &order);
    struct lod_prefetch_choice choice = lod_prefetch_decide(miss, cost, &budget, &order);
    if (choice.short_of_memory) {
        lod_access_history_sweep(&prefetch->history);
        advise(prefetch, miss->wanted);
    }
    return choice;
}

/*
 * Returns whether these groups of a shared store's record are in the kernel's page cache. They may
 * have been loaded by this mount or by any process. The kernel is asked once for each record, and
 * again when a read was slow.
 */
static bool is_near(struct lod_prefetch *prefetch, const struct lod_item *item,
                    struct lod_groups groups)
{
    const struct lod_record_desc *recd = &item->recd;
    bool near = false;

    if (!prefetch->fetch->shared) {
        return false;
    }
    if (lod_groups_hold(lod_access_history_loaded(&prefetch->history, recd->number), groups)) {
        return true;
    }
    if (!lod_access_history_may_ask(&prefetch->history, recd->number, CHECK_NS) ||
        lod_dataset_groups_in_memory(prefetch->fetch->dataset, recd, groups.first, groups.last,
                                     &near) ||
        !near) {
        return false;
    }
    lod_prefetch_note_loaded(prefetch, recd, groups);
    return true;
}

bool lod_prefetch_is_fast(struct lod_prefetch *prefetch, const struct lod_item *item,
                          struct lod_groups groups, bool *ret_near)
{
    *ret_near = is_near(prefetch, item, groups);
    return *ret_near || (lod_io_estimate_is_known(&prefetch->fetch->estimate) &&
                         lod_prefetch_cost_now(prefetch).memory);
}

void lod_prefetch_note_slow(struct lod_prefetch *prefetch, const struct lod_item *item)
{
    const struct lod_record_desc *recd = &item->recd;
    const struct lod_groups loaded = lod_access_history_loaded(&prefetch->history, recd->number);
    bool near = true; /* only this thread was delayed */

    if (!loaded.last ||
        !lod_access_history_may_ask_again(&prefetch->history, recd->number, SECOND_QUERY_NS)) {
        return;
    }
    const uint64_t from_ns = lod_clock_ns();
    const int error = lod_dataset_groups_in_memory(prefetch->fetch->dataset, recd, loaded.first,
                                                   loaded.last, &near);
    const uint64_t next_ns = (lod_clock_ns() - from_ns) * QUERY_SHARE;
    if (next_ns > SECOND_QUERY_NS) {
        lod_access_history_postpone(&prefetch->history, recd->number,
                                    next_ns < CHECK_NS ? next_ns : CHECK_NS);
    }
    if (!error && !near) {
        lod_access_history_set_loaded(&prefetch->history, recd->number, (struct lod_groups){0}, 0);
    }
}

/*
 * Loads the chosen prefix, unless another load is in flight or has loaded it since the decision.
 * `before`: the groups that counted as loaded at the decision. The kernel may have evicted them, so
 * they do not prevent the load.
 */
static enum lod_prefetch_done load(struct lod_prefetch *prefetch, const struct lod_item *item,
                                   const struct lod_prefetch_miss *miss,
                                   struct lod_prefetch_choice choice, struct lod_groups before,
                                   bool *loaded)
{
    const enum lod_prefetch_begun begun = lod_prefetch_begin(prefetch, item->recd.number);

    if (begun != LOD_PREFETCH_MINE) {
        return done_of(begun);
    }
    count_unlisted(prefetch, item, miss);
    const struct lod_groups chosen = {choice.first, choice.last},
                            now = lod_access_history_loaded(&prefetch->history, item->recd.number);
    if (prefetch->fetch->shared && lod_groups_hold(now, chosen) && !lod_groups_hold(before, now)) {
        lod_prefetch_end(prefetch, item->recd.number);
    } else {
        int error = lod_prefetch_load(prefetch, item, chosen);
        /* After the first part, which measured the bandwidth, the rest may follow. */
        *loaded = error != -EAGAIN || !lod_io_estimate_has_bandwidth(&prefetch->fetch->estimate);
        lod_prefetch_ahead(prefetch, item, (struct lod_groups){choice.from, choice.last});
    }
    return LOD_PREFETCH_MOVED;
}

static enum lod_prefetch_done decide_and_load(struct lod_prefetch *prefetch,
                                              const struct lod_item *item,
                                              const struct lod_wanted *wanted, unsigned count,
                                              bool *loaded)
{
    const struct lod_prefetch_cost cost = lod_prefetch_cost_now(prefetch);
    const struct lod_groups groups = groups_of(wanted, count);
    const struct lod_groups before =
        lod_access_history_loaded(&prefetch->history, item->recd.number);

    if (is_near(prefetch, item, groups)) {
        return LOD_PREFETCH_NEAR;
    }
    if (are_copied(prefetch, item, wanted, count)) {
        return LOD_PREFETCH_NONE;
    }
    if (!lod_io_estimate_is_known(&prefetch->fetch->estimate)) {
        return begin_first(prefetch, item->recd.number);
    }
    const struct lod_prefetch_miss miss =
        miss_of(prefetch, item, wanted, count, usual_groups(prefetch, groups));
    if (!miss.requests) {
        return LOD_PREFETCH_NEAR;
    }
    if (*loaded) {
        return LOD_PREFETCH_NONE;
    }
    if (!cost.memory || miss.announced) {
        const struct lod_prefetch_choice choice = decide(prefetch, &cost, item->recd.number, &miss);
        if (choice.last) {
            return load(prefetch, item, &miss, choice, before, loaded);
        }
    }
    count_unlisted(prefetch, item, &miss);
    return !miss.listed && lod_prefetch_begin_unlisted(prefetch) ? LOD_PREFETCH_UNLISTED
                                                                 : LOD_PREFETCH_NONE;
}

enum lod_prefetch_done lod_prefetch_miss(struct lod_prefetch *prefetch, const struct lod_item *item,
                                         const struct lod_wanted *wanted, unsigned count,
                                         bool *loaded)
{
    const uint64_t began = lod_clock_ns();
    const enum lod_prefetch_done done = decide_and_load(prefetch, item, wanted, count, loaded);
    const uint64_t ns = lod_clock_ns() - began;

    if (done == LOD_PREFETCH_MOVED || ns > LOD_PREFETCH_PATIENCE_NS) {
        pthread_mutex_lock(&prefetch->lock);
        lod_duration_sum_add(&prefetch->waits, ns);
        pthread_mutex_unlock(&prefetch->lock);
    }
    return done;
}

/* ---------------------------------------------------------------------------------- the rest */

static unsigned within(unsigned value, unsigned least, unsigned most)
{
    return value < least ? least : value > most ? most : value;
}

int lod_prefetch_init(struct lod_prefetch *prefetch, struct lod_fetch *fetch,
                      const struct lod_prefetch_options *options)
{
    const unsigned loads = within(options->loads, 1, LOD_LOADS_MAX);
    const unsigned most = within(options->loads_max, loads, LOD_LOADS_MAX);

    *prefetch = (struct lod_prefetch){
        .fetch = fetch,
        .threads = options->threads,
        .slots.window = {.limit = loads, .most = most, .first = loads},
    };
    atomic_init(&prefetch->budget_bytes, options->budget_bytes);
    atomic_init(&prefetch->budget_until_ns, options->budget_bytes ? UINT64_MAX : 0);
    pthread_mutex_init(&prefetch->lock, NULL);
    lod_clock_cond_init(&prefetch->moved);
    return lod_access_history_init(&prefetch->history, lod_dataset_records(fetch->dataset));
}

void lod_prefetch_finish(struct lod_prefetch *prefetch)
{
    if (!prefetch->fetch) {
        return;
    }
    lod_prefetch_stop(prefetch);
    pthread_cond_destroy(&prefetch->moved);
    pthread_mutex_destroy(&prefetch->lock);
    lod_access_history_finish(&prefetch->history);
    lod_load_slots_finish(&prefetch->slots);
    lod_ahead_lists_finish(&prefetch->lists);
    lod_ahead_held_finish(&prefetch->held);
}
