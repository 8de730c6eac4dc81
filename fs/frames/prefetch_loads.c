/* SPDX-License-Identifier: Apache-2.0 */
/* Loads are serialised by one flag and one condition variable; see prefetch_loads.h. */
#include "frames/prefetch_loads.h"

#include "clock.h"
#include "frames/prefetch_ahead.h"
#include "frames/prefix_fetch.h"

#define SPEED_NS (2 * LOD_SECOND_NS) /* loads of so long count for the speed */
#define AHEAD    2u                  /* records: the current one and the next */

/* Waits for a step of the load in flight. Returns false after LOD_PREFETCH_PATIENCE_NS without one.
 * The lock is held. */
static bool await_step(struct lod_prefetch *prefetch)
{
    const struct timespec until = lod_clock_until(LOD_PREFETCH_PATIENCE_NS);
    int late = 0;

    for (uint64_t steps = prefetch->steps; steps == prefetch->steps && !late;) {
        late = pthread_cond_timedwait(&prefetch->moved, &prefetch->lock, &until);
    }
    return !late;
}

/* Is a load in flight that no reader waits for, of another record? The lock is held. */
static bool is_in_the_way(const struct lod_prefetch *prefetch, uint32_t record)
{
    return prefetch->loading && prefetch->ahead && prefetch->loaded_record != record;
}

/* Blocks until no load is in the way, or until one stalls. The lock is held. */
static void await_way(struct lod_prefetch *prefetch, uint32_t record)
{
    const struct timespec until = lod_clock_until(LOD_PREFETCH_PATIENCE_NS);
    int late = 0;

    prefetch->demands++;
    while (is_in_the_way(prefetch, record) && !late) {
        late = pthread_cond_timedwait(&prefetch->moved, &prefetch->lock, &until);
    }
    prefetch->demands--;
    if (!prefetch->demands) {
        pthread_cond_broadcast(&prefetch->moved); /* the background thread may go on */
    }
}

static void begin(struct lod_prefetch *prefetch, uint32_t record, bool ahead)
{
    prefetch->loading = true;
    prefetch->ahead = ahead;
    prefetch->loaded_record = record;
}

enum lod_prefetch_begun lod_prefetch_begin(struct lod_prefetch *prefetch, uint32_t record)
{
    enum lod_prefetch_begun begun = LOD_PREFETCH_MINE;

    pthread_mutex_lock(&prefetch->lock);
    if (is_in_the_way(prefetch, record)) {
        await_way(prefetch, record);
    }
    if (is_in_the_way(prefetch, record)) {
        begun = LOD_PREFETCH_STUCK;
    } else if (prefetch->loading) {
        begun = await_step(prefetch) ? LOD_PREFETCH_STEP : LOD_PREFETCH_STUCK;
    } else {
        begin(prefetch, record, false);
    }
    pthread_mutex_unlock(&prefetch->lock);
    return begun;
}

bool lod_prefetch_begin_ahead(struct lod_prefetch *prefetch, uint32_t record)
{
    pthread_mutex_lock(&prefetch->lock);
    while ((prefetch->loading || prefetch->demands) && !prefetch->over) {
        pthread_cond_wait(&prefetch->moved, &prefetch->lock);
    }
    const bool mine = !prefetch->over;
    if (mine) {
        begin(prefetch, record, true);
    }
    pthread_mutex_unlock(&prefetch->lock);
    return mine;
}

/* Returns whether to continue. */
static bool step(void *ctx)
{
    struct lod_prefetch *prefetch = ctx;

    pthread_mutex_lock(&prefetch->lock);
    bool more = !prefetch->over && !(prefetch->ahead && prefetch->demands);
    prefetch->steps++;
    pthread_cond_broadcast(&prefetch->moved);
    pthread_mutex_unlock(&prefetch->lock);
    return more;
}

/* The first load of all stops after one step, which measures the bandwidth. */
static bool step_once(void *ctx)
{
    return step(ctx) && false;
}

void lod_prefetch_end(struct lod_prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    prefetch->loading = false;
    prefetch->steps++;
    pthread_cond_broadcast(&prefetch->moved);
    pthread_mutex_unlock(&prefetch->lock);
}

/*
 * Adds a load of a listed record to the speed that jobs are told. It counts whole loads, so that it
 * does not depend on how requests divide into latency and bandwidth.
 */
static void add_speed(struct lod_prefetch *prefetch, uint64_t bytes, uint64_t ns)
{
    pthread_mutex_lock(&prefetch->lock);
    if (bytes) {
        prefetch->load_bytes += bytes;
        prefetch->load_ns += ns;
    }
    while (prefetch->load_ns > SPEED_NS) {
        prefetch->load_bytes /= 2;
        prefetch->load_ns /= 2;
    }
    pthread_mutex_unlock(&prefetch->lock);
}

int lod_prefetch_load(struct lod_prefetch *prefetch, const struct lod_item *item,
                      struct lod_groups groups, enum lod_read_class class)
{
    const bool all =
        class == LOD_READ_AHEAD || lod_io_estimate_has_bandwidth(&prefetch->fetch->estimate);
    struct lod_frame_pins pins = {.bytes = &prefetch->fetch->pinned};
    bool keep = false;

    (void)lod_prefetch_listed(prefetch, item->recd.number, &keep);
    prefetch->buffer.class = class;
    const uint64_t bytes = prefetch->buffer.bytes, begun = lod_clock_ns();
    int error = lod_prefix_fetch(prefetch->fetch, &prefetch->buffer, item, groups,
                                 keep ? &pins : NULL, all ? step : step_once, prefetch);
    if (!error) {
        lod_prefetch_note_loaded(prefetch, &item->recd, groups);
    }
    if (keep) {
        add_speed(prefetch, prefetch->buffer.bytes - bytes, lod_clock_ns() - begun);
        lod_prefetch_hold(prefetch, item->recd.number, groups, error, &pins);
    }
    lod_prefetch_end(prefetch);
    return error;
}

/* ---------------------------------------------------------------------------------- ahead */

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

/* Loads the wanted groups of the item's record, unless they are in memory. Returns false if
 * prefetching ends. */
static bool load_ahead(struct lod_prefetch *prefetch, const struct lod_item *item,
                       struct lod_groups wanted)
{
    const struct lod_prefetch_cost cost = lod_prefetch_cost_now(prefetch);
    struct lod_prefetch_order order;
    struct lod_prefetch_room room;

    if (!rest_of(prefetch, item, wanted).last) {
        return true;
    }
    lod_prefetch_state(prefetch, item->recd.number, wanted.first, &room, &order);
    if (!lod_prefetch_decide_ahead(lod_record_desc_bytes(&item->recd, wanted.first, wanted.last),
                                   wanted.last, &cost, &room, &order) ||
        !lod_prefetch_begin_ahead(prefetch, item->recd.number)) {
        return false;
    }
    const struct lod_groups rest = rest_of(prefetch, item, wanted);
    if (rest.last) {
        /* Readers will get the error. */
        (void)lod_prefetch_load(prefetch, item, rest, LOD_READ_AHEAD);
    } else {
        lod_prefetch_end(prefetch); /* a reader has loaded them already */
    }
    return true;
}

/* Loads the rest of the item's record, and the next record of its codec. */
static void read_ahead(struct lod_prefetch *prefetch, uint32_t number, struct lod_groups wanted)
{
    const struct lod_codec *codec = NULL;
    struct lod_item item;

    for (unsigned i = 0; i < AHEAD; i++, codec = item.codec) {
        if (lod_dataset_item(prefetch->fetch->dataset, number, &item) ||
            (codec && item.codec != codec) || !load_ahead(prefetch, &item, wanted)) {
            return;
        }
        number = item.recd.first_item + item.recd.items;
    }
}

/* Notes that a listed record cannot be loaded until a job tells something again. */
static void give_up(struct lod_prefetch *prefetch, const struct lod_ahead_entry *entry, int error)
{
    struct lod_frame_pins none = {.bytes = &prefetch->fetch->pinned};

    lod_prefetch_hold(prefetch, entry->record, (struct lod_groups){entry->first, entry->last},
                      error, &none);
}

/* Loads as much of a listed record as all jobs together want of it. */
static void load_listed(struct lod_prefetch *prefetch, const struct lod_ahead_entry *entry)
{
    struct lod_fetch *fetch = prefetch->fetch;
    struct lod_record_desc recd;
    struct lod_item item;
    bool keep = false;

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
    if (!lod_prefetch_begin_ahead(prefetch, entry->record)) {
        return;
    }
    const struct lod_groups groups = lod_prefetch_listed(prefetch, entry->record, &keep);
    if (keep) {
        (void)lod_prefetch_load(prefetch, &item, groups, LOD_READ_AHEAD);
    } else {
        lod_prefetch_end(prefetch); /* no job wants it any more */
    }
}

/* The next work of the background thread. */
struct work {
    bool listed;
    struct lod_ahead_entry entry; /* of a list */
    uint32_t item;                /* else */
    struct lod_groups groups;
};

/* Blocks until there is a change, or a list's time is over. The lock is held. */
static void await_change(struct lod_prefetch *prefetch)
{
    const uint64_t until = lod_ahead_lists_until(&prefetch->lists);
    const struct timespec at = {.tv_sec = (time_t)(until / LOD_SECOND_NS),
                                .tv_nsec = (long)(until % LOD_SECOND_NS)};

    if (until == UINT64_MAX) {
        pthread_cond_wait(&prefetch->moved, &prefetch->lock);
    } else {
        (void)pthread_cond_timedwait(&prefetch->moved, &prefetch->lock, &at);
    }
}

/* Blocks until there is work; returns false at the end. */
static bool await_work(struct lod_prefetch *prefetch, struct work *ret_work)
{
    uint64_t room = lod_prefetch_room(prefetch);

    *ret_work = (struct work){.listed = false};
    pthread_mutex_lock(&prefetch->lock);
    for (;;) {
        ret_work->listed = lod_prefetch_ahead_next(prefetch, room, &ret_work->entry);
        if (prefetch->over || ret_work->listed || prefetch->has_next) {
            break;
        }
        await_change(prefetch);
        pthread_mutex_unlock(&prefetch->lock);
        room = lod_prefetch_room(prefetch);
        pthread_mutex_lock(&prefetch->lock);
    }
    const bool more = !prefetch->over;
    if (!ret_work->listed) {
        ret_work->item = prefetch->next_item;
        ret_work->groups = prefetch->next_groups;
        prefetch->has_next = false;
    }
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
            read_ahead(prefetch, work.item, work.groups);
        }
    }
    return NULL;
}

/* Starts the background thread if there is none. The lock is held. */
static void start(struct lod_prefetch *prefetch)
{
    if (prefetch->threads && !prefetch->has_thread && !prefetch->over) {
        prefetch->has_thread = pthread_create(&prefetch->thread, NULL, run, prefetch) == 0;
    }
}

void lod_prefetch_wake(struct lod_prefetch *prefetch)
{
    start(prefetch);
    pthread_cond_broadcast(&prefetch->moved);
}

void lod_prefetch_ahead(struct lod_prefetch *prefetch, const struct lod_item *item,
                        struct lod_groups groups)
{
    if (lod_prefetch_is_told(prefetch)) {
        return;
    }
    pthread_mutex_lock(&prefetch->lock);
    start(prefetch);
    prefetch->next_item = item->number;
    prefetch->next_groups = groups;
    prefetch->has_next = true;
    pthread_cond_broadcast(&prefetch->moved);
    pthread_mutex_unlock(&prefetch->lock);
}

void lod_prefetch_stop(struct lod_prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    prefetch->over = true;
    bool has_thread = prefetch->has_thread;
    pthread_cond_broadcast(&prefetch->moved);
    pthread_mutex_unlock(&prefetch->lock);
    if (has_thread) {
        pthread_join(prefetch->thread, NULL);
    }
}
