/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread takes a record, and loads it without the lock; see prefetch_threads.h. */
#include "frames/prefetch_threads.h"

#include "clock.h"
#include "frames/prefetch_ahead.h"
#include "frames/prefetch_loads.h"
#include "thread_start.h"

#define AHEAD_LEAST 2u  /* records: the current one and the next */
#define AHEAD_MOST  32u /* records, if several loads may be in flight */

/* -------------------------------------------------------------------------- sequential readers */

/* Returns the wanted groups that are not loaded; last 0: none. */
static struct lod_groups rest_of(const struct lod_prefetch *prefetch, const struct lod_item *item,
                                 struct lod_groups wanted)
{
    const struct lod_groups loaded =
        lod_access_history_loaded(&prefetch->history, item->recd.number);

    if (lod_groups_hold(loaded, wanted)) {
        return (struct lod_groups){0};
    }
    if (loaded.last && loaded.first <= wanted.first && loaded.last >= wanted.first) {
        wanted.first = loaded.last + 1;
    }
    return wanted;
}

/* Returns whether to load these groups of a record before a reader asks for them. */
static bool is_worth_it(struct lod_prefetch *prefetch, const struct lod_item *item,
                        struct lod_groups wanted)
{
    const struct lod_prefetch_cost cost = lod_prefetch_cost_now(prefetch);
    struct lod_prefetch_order order;
    struct lod_prefetch_budget budget;

    lod_prefetch_state(prefetch, item->recd.number, wanted, &budget, &order);
    return lod_prefetch_decide_ahead(lod_record_desc_bytes(&item->recd, wanted.first, wanted.last),
                                     wanted, &cost, &budget, &order);
}

/* Returns false if no load was begun: see lod_prefetch_begin_ahead. */
static bool load_ahead(struct lod_prefetch *prefetch, const struct lod_item *item,
                       struct lod_groups wanted)
{
    if (!lod_prefetch_begin_ahead(prefetch, item->recd.number)) {
        return false;
    }
    const struct lod_groups rest = rest_of(prefetch, item, wanted);
    if (rest.last) {
        (void)lod_prefetch_load(prefetch, item, rest); /* readers will get the error */
    } else {
        lod_prefetch_end(prefetch, item->recd.number); /* a reader has loaded them already */
    }
    return true;
}

/* Moves the hint to the record after this one. The bytes of the first two records do not count. */
static void advance_hint(struct lod_prefetch_hint *hint, const struct lod_item *item)
{
    const uint64_t bytes =
        lod_record_desc_bytes(&item->recd, hint->groups.first, hint->groups.last);

    hint->item = item->recd.first_item + item->recd.items;
    hint->codec = item->codec;
    if (hint->records++ >= AHEAD_LEAST) {
        hint->bytes = hint->bytes > bytes ? hint->bytes - bytes : 0;
    }
}

/* Returns whether the hint includes this record. */
static bool hint_covers(const struct lod_prefetch_hint *hint, const struct lod_item *item,
                        bool several)
{
    return (!hint->codec || item->codec == hint->codec) &&
           (hint->records < AHEAD_LEAST || (several && hint->records < AHEAD_MOST && hint->bytes));
}

/* Lets another thread continue with the next record, unless a newer call has come. */
static void pass_hint_on(struct lod_prefetch *prefetch, const struct lod_prefetch_hint *hint)
{
    pthread_mutex_lock(&prefetch->lock);
    if (prefetch->hints == hint->number && !prefetch->lists.count) {
        prefetch->hint = *hint;
        prefetch->has_hint = true;
        pthread_cond_broadcast(&prefetch->moved);
    }
    pthread_mutex_unlock(&prefetch->lock);
}

/* Loads the rest of the hint's record, and those behind it of its codec. */
static void follow_hint(struct lod_prefetch *prefetch, struct lod_prefetch_hint hint)
{
    const bool several = prefetch->slots.window.most > 1;
    struct lod_item item;

    while (!lod_dataset_item(prefetch->fetch->dataset, hint.item, &item) &&
           hint_covers(&hint, &item, several)) {
        advance_hint(&hint, &item);
        if (!rest_of(prefetch, &item, hint.groups).last) {
            continue;
        }
        if (!is_worth_it(prefetch, &item, hint.groups)) {
            return;
        }
        if (several) {
            pass_hint_on(prefetch, &hint);
        }
        if (!load_ahead(prefetch, &item, hint.groups) || several) {
            return;
        }
    }
}

/* ------------------------------------------------------------------------------ listed records */

/* Ends the load of a listed record, and notes not to load it again before the next request of
 * a job. */
static void give_up(struct lod_prefetch *prefetch, const struct lod_ahead_entry *entry, int error)
{
    struct lod_frame_pins none = {.bytes = &prefetch->fetch->pinned};

    lod_prefetch_hold(prefetch, entry->record, (struct lod_groups){entry->first, entry->last},
                      error, &none);
    lod_prefetch_end(prefetch, entry->record);
}

/* Loads all groups of a listed record that any job wants, and ends its load. */
static void load_listed(struct lod_prefetch *prefetch, const struct lod_ahead_entry *entry)
{
    struct lod_fetch *fetch = prefetch->fetch;
    struct lod_record_desc recd;
    struct lod_item item;
    enum lod_ahead_place place;

    int error = lod_dataset_record_desc(fetch->dataset, entry->record, &recd);
    error = error ? error : lod_dataset_item(fetch->dataset, recd.first_item, &item);
    if (error) {
        give_up(prefetch, entry, error);
        return;
    }
    if (!lod_io_estimate_is_known(&fetch->estimate)) { /* its loads would be too large or small */
        (void)!lod_io_estimate_adopt(&fetch->estimate,
                                     lod_dataset_index_io_estimate(fetch->dataset));
    }
    const struct lod_groups groups = lod_prefetch_listed(prefetch, entry->record, &place);
    if (place == LOD_AHEAD_MEMORY ||
        (place && !lod_prefetch_settle_copy(prefetch, &recd, groups))) {
        (void)lod_prefetch_load(prefetch, &item, groups);
    } else {
        lod_prefetch_end(prefetch, entry->record);
    }
}

/* ------------------------------------------------------------------------------ threads */

/* The next task of a thread. */
struct work {
    bool listed;
    struct lod_ahead_entry entry;  /* of a list; its load has begun */
    struct lod_prefetch_hint hint; /* else */
};

/* Blocks until there is a change, a list expires, or a check of a copy is due. The lock is held. */
static void await_change(struct lod_prefetch *prefetch)
{
    const uint64_t end = lod_ahead_lists_until(&prefetch->lists), again = prefetch->again_ns,
                   until = again && again < end ? again : end;
    const struct timespec at = {.tv_sec = (time_t)(until / LOD_SECOND_NS),
                                .tv_nsec = (long)(until % LOD_SECOND_NS)};

    if (until == UINT64_MAX) {
        pthread_cond_wait(&prefetch->moved, &prefetch->lock);
    } else {
        (void)pthread_cond_timedwait(&prefetch->moved, &prefetch->lock, &at);
    }
}

/* Takes the next task, with a slot if it is a listed record; false: there is none. The lock is
 * held. */
static bool take_work(struct lod_prefetch *prefetch, uint64_t budget, struct work *ret_work)
{
    const bool may = lod_load_slots_may(&prefetch->slots, true);

    lod_prefetch_ahead_pass(prefetch, budget);
    *ret_work = (struct work){.hint = prefetch->hint};
    if (may && lod_prefetch_ahead_next(prefetch, budget, &ret_work->entry)) {
        ret_work->listed = true;
        lod_prefetch_begin_locked(prefetch, ret_work->entry.record, true)->expected =
            ret_work->entry.bytes;
        return true;
    }
    const bool any = prefetch->has_hint;
    prefetch->has_hint = false;
    return any;
}

static void *run(void *ctx);

/* Starts threads until there is one for each small load that may be in flight. The lock is held. */
static void start(struct lod_prefetch *prefetch)
{
    while (prefetch->threads && !prefetch->over &&
           prefetch->thread_count < prefetch->slots.window.most &&
           !lod_thread_start(&prefetch->thread[prefetch->thread_count], run, prefetch)) {
        prefetch->thread_count++;
    }
}

/* Blocks until there is work; returns false at the end. */
static bool await_work(struct lod_prefetch *prefetch, struct work *ret_work)
{
    uint64_t budget = lod_prefetch_budget(prefetch);

    pthread_mutex_lock(&prefetch->lock);
    start(prefetch); /* the window may have grown */
    while (!prefetch->over && !take_work(prefetch, budget, ret_work)) {
        await_change(prefetch);
        pthread_mutex_unlock(&prefetch->lock);
        budget = lod_prefetch_budget(prefetch);
        pthread_mutex_lock(&prefetch->lock);
    }
    const bool more = !prefetch->over;
    pthread_mutex_unlock(&prefetch->lock);
    return more;
}

static void *run(void *ctx)
{
    struct lod_prefetch *prefetch = ctx;
    struct work work;

    while (await_work(prefetch, &work)) {
        if (work.listed) {
            load_listed(prefetch, &work.entry);
        } else {
            follow_hint(prefetch, work.hint);
        }
    }
    return NULL;
}

void lod_prefetch_wake(struct lod_prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    start(prefetch);
    pthread_cond_broadcast(&prefetch->moved);
    pthread_mutex_unlock(&prefetch->lock);
}

/* Returns how many bytes of records behind the next one are read ahead: those that the store brings
 * in four latencies or a quarter of a second, whichever is longer; at most a quarter of the
 * budget. */
static uint64_t bytes_ahead(struct lod_prefetch *prefetch)
{
    const struct lod_prefetch_cost cost = lod_prefetch_cost_now(prefetch);
    const uint64_t budget = lod_prefetch_budget(prefetch) / 4;
    const uint64_t latency_us = cost.latency_ns / 1000, quarter_us = LOD_SECOND_NS / 4000;
    const uint64_t us = 4 * latency_us > quarter_us ? 4 * latency_us : quarter_us;
    const uint64_t bytes = cost.bandwidth / 1000 * us / 1000;

    return bytes < budget ? bytes : budget;
}

/* Returns whether a thread would find nothing to load. Readers in the order of names alternate
 * between a few records. Waking a thread at each change would cost more than the read. */
static bool are_loaded(const struct lod_prefetch *prefetch, uint32_t record,
                       struct lod_groups groups)
{
    const uint32_t records = lod_dataset_records(prefetch->fetch->dataset);
    const unsigned most = prefetch->slots.window.most > 1 ? AHEAD_MOST : AHEAD_LEAST;

    for (uint32_t at = record; at < records && at - record < most; at++) {
        if (!lod_groups_hold(lod_access_history_loaded(&prefetch->history, at), groups)) {
            return false;
        }
    }
    return true;
}

void lod_prefetch_ahead(struct lod_prefetch *prefetch, const struct lod_item *item,
                        struct lod_groups groups)
{
    if (lod_prefetch_has_lists(prefetch) || are_loaded(prefetch, item->recd.number, groups)) {
        return;
    }
    const uint64_t bytes = bytes_ahead(prefetch);
    pthread_mutex_lock(&prefetch->lock);
    start(prefetch);
    prefetch->hint = (struct lod_prefetch_hint){
        .number = ++prefetch->hints, .item = item->number, .groups = groups, .bytes = bytes};
    prefetch->has_hint = true;
    pthread_cond_broadcast(&prefetch->moved);
    pthread_mutex_unlock(&prefetch->lock);
}

void lod_prefetch_stop(struct lod_prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    prefetch->over = true;
    pthread_cond_broadcast(&prefetch->moved);
    pthread_mutex_unlock(&prefetch->lock);
    while (prefetch->thread_count) {
        pthread_join(prefetch->thread[--prefetch->thread_count], NULL);
    }
}
