/* SPDX-License-Identifier: Apache-2.0 */
/* Loads are serialised by one flag and one condition variable; see prefetch_loads.h. */
#include "frames/prefetch_loads.h"

#include "clock.h"
#include "frames/prefix_fetch.h"

#define AHEAD 2u /* records: the current one and the next */

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

enum lod_prefetch_begun lod_prefetch_begin(struct lod_prefetch *prefetch)
{
    enum lod_prefetch_begun begun = LOD_PREFETCH_MINE;

    pthread_mutex_lock(&prefetch->lock);
    if (prefetch->loading) {
        begun = await_step(prefetch) ? LOD_PREFETCH_STEP : LOD_PREFETCH_STUCK;
    } else {
        prefetch->loading = true;
    }
    pthread_mutex_unlock(&prefetch->lock);
    return begun;
}

bool lod_prefetch_begin_ahead(struct lod_prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    while (prefetch->loading && !prefetch->over) {
        pthread_cond_wait(&prefetch->moved, &prefetch->lock);
    }
    bool mine = !prefetch->over;
    prefetch->loading = mine || prefetch->loading;
    pthread_mutex_unlock(&prefetch->lock);
    return mine;
}

/* Returns whether to continue. */
static bool step(void *ctx)
{
    struct lod_prefetch *prefetch = ctx;

    pthread_mutex_lock(&prefetch->lock);
    bool more = !prefetch->over;
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

int lod_prefetch_load(struct lod_prefetch *prefetch, const struct lod_item *item,
                      struct lod_groups groups, enum lod_read_class class)
{
    bool known = lod_io_estimate_has_bandwidth(&prefetch->fetch->estimate);

    prefetch->buffer.class = class;
    int error = lod_prefix_fetch(prefetch->fetch, &prefetch->buffer, item, groups.first,
                                 groups.last, known ? step : step_once, prefetch);

    if (!error) {
        lod_prefetch_note_loaded(prefetch, &item->recd, groups);
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
        !lod_prefetch_begin_ahead(prefetch)) {
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

static bool await_next(struct lod_prefetch *prefetch, uint32_t *ret_item,
                       struct lod_groups *ret_groups)
{
    pthread_mutex_lock(&prefetch->lock);
    while (!prefetch->has_next && !prefetch->over) {
        pthread_cond_wait(&prefetch->moved, &prefetch->lock);
    }
    bool more = !prefetch->over;
    *ret_item = prefetch->next_item;
    *ret_groups = prefetch->next_groups;
    prefetch->has_next = false;
    pthread_mutex_unlock(&prefetch->lock);
    return more;
}

static void *run(void *ctx)
{
    struct lod_prefetch *prefetch = ctx;
    uint32_t item = 0;
    struct lod_groups groups = {0};

    while (await_next(prefetch, &item, &groups)) {
        read_ahead(prefetch, item, groups);
    }
    return NULL;
}

void lod_prefetch_ahead(struct lod_prefetch *prefetch, const struct lod_item *item,
                        struct lod_groups groups)
{
    pthread_mutex_lock(&prefetch->lock);
    if (prefetch->threads && !prefetch->has_thread && !prefetch->over) {
        prefetch->has_thread = pthread_create(&prefetch->thread, NULL, run, prefetch) == 0;
    }
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
