/* SPDX-License-Identifier: Apache-2.0 */
/* A few runs that are watched, and a short queue of units for a few threads; see ahead.h. */
#include "ahead.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define RUNS       32u /* files read at one time; a further one takes the place of an older */
#define QUEUE_MAX  64u
#define IN_ORDER   2u /* items read one after the other, and the next ones are made too */
#define UNITS_MORE 1u /* ahead of the reader beside one a thread */

/* The kernel's requests for one file overtake each other by no more than its readahead. */
#define STRAY_BYTES (1u << 20)

struct run {
    uint32_t item;
    unsigned form;
    uint64_t begin, next; /* read on end; next 0: free */
    uint64_t asked;       /* the first unit nobody was told to make */
};

struct lod_ahead {
    const struct lod_ahead_calls *calls;
    void *ctx;
    unsigned threads_max;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t more;
    pthread_t threads[LOD_AHEAD_THREADS_MAX];
    unsigned threads_count;
    bool ending;
    struct run runs[RUNS];
    struct lod_ahead_unit queue[QUEUE_MAX]; /* a ring */
    unsigned first, count;
    uint32_t last;              /* item whose end was read last */
    unsigned in_order;          /* items before it that were, too */
    uint32_t told;              /* items before this one were asked for, in this order */
    unsigned orders;            /* how often it was broken */
    struct lod_ahead_unit tip;  /* of item told - 1, where told is not 0 */
    struct lod_ahead_unit from; /* items behind it, and before this one, */
    uint32_t until;             /* are to be looked up by a thread; 0: none */
};

int lod_ahead_create(unsigned threads, const struct lod_ahead_calls *calls, void *ctx,
                     struct lod_ahead **ret_ahead)
{
    struct lod_ahead *ahead = calloc(1, sizeof(*ahead));

    assert(threads <= LOD_AHEAD_THREADS_MAX);
    if (!ahead) {
        return -ENOMEM;
    }
    ahead->calls = calls;
    ahead->ctx = ctx;
    ahead->threads_max = threads;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->more, NULL);
    *ret_ahead = ahead;
    return 0;
}

struct lod_ahead *lod_ahead_destroy(struct lod_ahead *ahead)
{
    if (ahead) {
        pthread_mutex_lock(&ahead->lock);
        ahead->ending = true;
        pthread_cond_broadcast(&ahead->more);
        pthread_mutex_unlock(&ahead->lock);
        for (unsigned i = 0; i < ahead->threads_count; i++) {
            pthread_join(ahead->threads[i], NULL);
        }
        pthread_cond_destroy(&ahead->more);
        pthread_mutex_destroy(&ahead->lock);
    }
    free(ahead);
    return NULL;
}

/* As many units as one go takes, all of one codec, out of the queue. The lock is held. */
static unsigned dequeue(struct lod_ahead *ahead, struct lod_ahead_unit *units)
{
    unsigned batch = ahead->calls->batch(ahead->ctx, &ahead->queue[ahead->first].item), taken = 0;
    const struct lod_codec *codec = ahead->queue[ahead->first].item.codec;

    while (taken < batch && ahead->count && ahead->queue[ahead->first].item.codec == codec) {
        units[taken++] = ahead->queue[ahead->first];
        ahead->first = (ahead->first + 1) % QUEUE_MAX;
        ahead->count--;
    }
    return taken;
}

static void enqueue(struct lod_ahead *ahead, const struct lod_item *item, unsigned form,
                    uint64_t unit, uint64_t made_bytes)
{
    ahead->queue[(ahead->first + ahead->count++) % QUEUE_MAX] = (struct lod_ahead_unit){
        .item = *item, .form = form, .unit = unit, .made_bytes = made_bytes};
    pthread_cond_signal(&ahead->more);
}

/*
 * Looking up what is stored behind reads the index: a thread of ours does it, and without the lock,
 * for which readers would wait. If the order was broken meanwhile, nobody wants it any more.
 */
static void look_further(struct lod_ahead *ahead)
{
    struct lod_ahead_unit found[LOD_AHEAD_BATCH_MAX], unit = ahead->from;
    const unsigned orders = ahead->orders;
    const uint32_t until = ahead->until;
    unsigned count = 0;

    ahead->until = 0;
    pthread_mutex_unlock(&ahead->lock);
    while (count < LOD_AHEAD_BATCH_MAX && unit.item.number + 1 < until &&
           ahead->calls->next(ahead->ctx, &unit, &found[count])) {
        unit = found[count++];
    }
    pthread_mutex_lock(&ahead->lock);
    for (unsigned i = 0; i < count && ahead->orders == orders && ahead->count < QUEUE_MAX; i++) {
        if (found[i].item.number >= ahead->told && found[i].item.number > ahead->last) {
            enqueue(ahead, &found[i].item, found[i].form, found[i].unit, found[i].made_bytes);
            ahead->told = found[i].item.number + 1;
            ahead->tip = found[i];
        }
    }
}

static void *work(void *arg)
{
    struct lod_ahead *ahead = arg;
    struct lod_ahead_unit units[LOD_AHEAD_BATCH_MAX];

    pthread_mutex_lock(&ahead->lock);
    while (!ahead->ending) {
        if (ahead->until) {
            look_further(ahead);
            continue;
        }
        if (ahead->count == 0) {
            pthread_cond_wait(&ahead->more, &ahead->lock);
            continue;
        }
        unsigned taken = dequeue(ahead, units);
        pthread_mutex_unlock(&ahead->lock);
        ahead->calls->make(ahead->ctx, units, taken);
        pthread_mutex_lock(&ahead->lock);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

/* The lock is held. Without threads nothing is queued. */
static bool start_threads(struct lod_ahead *ahead)
{
    while (ahead->threads_count < ahead->threads_max &&
           pthread_create(&ahead->threads[ahead->threads_count], NULL, work, ahead) == 0) {
        ahead->threads_count++;
    }
    return ahead->threads_count != 0;
}

/* The run that this read goes on with, or a new one. The lock is held. */
static struct run *follow(struct lod_ahead *ahead, uint32_t item, unsigned form, uint64_t at,
                          uint64_t bytes)
{
    struct run *run = &ahead->runs[item % RUNS];
    const bool near = at <= run->next + STRAY_BYTES && at + bytes + STRAY_BYTES >= run->next;

    if (!run->next || run->item != item || run->form != form || at < run->begin || !near) {
        *run = (struct run){.item = item, .form = form, .begin = at, .next = at};
    }
    run->next = at + bytes > run->next ? at + bytes : run->next;
    return run;
}

/* The lock is held. */
static void ask(struct lod_ahead *ahead, const struct lod_item *item, struct run *run,
                uint64_t unit, uint64_t units, uint64_t made_bytes)
{
    const unsigned batch = ahead->calls->batch(ahead->ctx, item);
    const uint64_t end = unit + 1 + (batch > 1 ? batch : ahead->threads_count + UNITS_MORE);

    run->asked = run->asked > unit ? run->asked : unit + 1;
    while (run->asked < units && run->asked < end && ahead->count < QUEUE_MAX) {
        enqueue(ahead, item, run->form, run->asked++, made_bytes);
    }
}

/* The end of an item was read: have so many been, in their order? The lock is held. */
static bool goes_on(struct lod_ahead *ahead, uint32_t item)
{
    if (item != ahead->last) {
        ahead->in_order = item == ahead->last + 1 ? ahead->in_order + 1 : 0;
        ahead->told = ahead->in_order ? ahead->told : 0;
        ahead->orders += ahead->in_order == 0;
        ahead->last = item;
    }
    return ahead->in_order >= IN_ORDER;
}

/* The items behind are asked for, a batch of them at a time. The lock is held. */
static void ask_items(struct lod_ahead *ahead, const struct lod_ahead_unit *unit, unsigned batch)
{
    const bool begun = ahead->told > unit->item.number && ahead->tip.form == unit->form;

    ahead->from = begun ? ahead->tip : *unit;
    ahead->until = unit->item.number + 1 + batch;
    if (ahead->from.item.number + 1 < ahead->until) {
        pthread_cond_signal(&ahead->more);
    } else {
        ahead->until = 0;
    }
}

void lod_ahead_note(struct lod_ahead *ahead, const struct lod_item *item, unsigned form,
                    uint64_t unit_bytes, uint64_t made_bytes, uint64_t at, uint64_t bytes)
{
    const uint64_t units = (made_bytes - 1) / unit_bytes + 1;
    const unsigned batch = ahead->threads_max ? ahead->calls->batch(ahead->ctx, item) : 0;
    const bool last = at + bytes == made_bytes;

    if (batch == 0 || (units == 1 && batch == 1)) {
        return;
    }
    pthread_mutex_lock(&ahead->lock);
    struct run *run = follow(ahead, item->number, form, at, bytes);
    if (units > 1 && run->next - run->begin >= LOD_AHEAD_RUN_BYTES && start_threads(ahead)) {
        ask(ahead, item, run, (run->next - 1) / unit_bytes, units, made_bytes);
    }
    if (last && batch > 1 && goes_on(ahead, item->number) && start_threads(ahead)) {
        ask_items(ahead, &(struct lod_ahead_unit){.item = *item, .form = form}, batch);
    }
    pthread_mutex_unlock(&ahead->lock);
}
