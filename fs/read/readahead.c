/* SPDX-License-Identifier: Apache-2.0 */
/* A table of sequential runs, and a short queue of units for a few threads; see readahead.h. */
#include "read/readahead.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "thread_start.h"

#define RUNS       32u /* files read at the same time; one more replaces an older one */
#define QUEUE_MAX  64u
#define IN_ORDER   2u /* after this many items in order, the next items are made ahead */
#define UNITS_MORE 1u /* units ahead of the reader, besides one for each thread */

/* The kernel's requests for one file arrive out of order by at most its readahead. */
#define REORDER_BYTES_MAX (1u << 20)

struct run {
    uint32_t item;
    unsigned form;
    uint64_t begin, next; /* the range that was read in sequence; next 0: free */
    uint64_t queued;      /* the first unit that was not queued yet */
};

struct lod_readahead {
    const struct lod_readahead_calls *calls;
    void *ctx;
    unsigned threads_max;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t more;
    pthread_t threads[LOD_READAHEAD_THREADS_MAX];
    unsigned threads_count;
    bool ending;
    struct run runs[RUNS];
    struct lod_readahead_unit queue[QUEUE_MAX]; /* a ring */
    unsigned first, count;
    uint32_t last;                  /* the item that was last read to its end */
    unsigned in_order;              /* how many items before `last` were read in order */
    uint32_t queued_end;            /* items below this number are queued already, in this order */
    unsigned orders;                /* how often the order was broken */
    struct lod_readahead_unit tip;  /* the last queued unit, of item queued_end - 1 */
    struct lod_readahead_unit from; /* a thread will queue the items after this one */
    uint32_t until;                 /* and before this number; 0: none */
};

int lod_readahead_create(unsigned threads, const struct lod_readahead_calls *calls, void *ctx,
                         struct lod_readahead **ret_ahead)
{
    struct lod_readahead *ahead = calloc(1, sizeof(*ahead));

    assert(threads <= LOD_READAHEAD_THREADS_MAX);
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

struct lod_readahead *lod_readahead_destroy(struct lod_readahead *ahead)
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

/* Takes the units of one call of `make` out of the queue, all of one codec. The lock is held. */
static unsigned dequeue(struct lod_readahead *ahead, struct lod_readahead_unit *units)
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

static void enqueue(struct lod_readahead *ahead, const struct lod_item *item, unsigned form,
                    uint64_t unit, uint64_t made_bytes)
{
    ahead->queue[(ahead->first + ahead->count++) % QUEUE_MAX] = (struct lod_readahead_unit){
        .item = *item, .form = form, .unit = unit, .made_bytes = made_bytes};
    pthread_cond_signal(&ahead->more);
}

/*
 * Looks up the next items in the index and queues them. Runs in a background thread and without the
 * lock, since readers wait for the lock. If the order was broken meanwhile, the result is dropped.
 */
static void look_further(struct lod_readahead *ahead)
{
    struct lod_readahead_unit found[LOD_READAHEAD_BATCH_MAX], unit = ahead->from;
    const unsigned orders = ahead->orders;
    const uint32_t until = ahead->until;
    unsigned count = 0;

    ahead->until = 0;
    pthread_mutex_unlock(&ahead->lock);
    while (count < LOD_READAHEAD_BATCH_MAX && unit.item.number + 1 < until &&
           ahead->calls->next(ahead->ctx, &unit, &found[count])) {
        unit = found[count++];
    }
    pthread_mutex_lock(&ahead->lock);
    for (unsigned i = 0; i < count && ahead->orders == orders && ahead->count < QUEUE_MAX; i++) {
        if (found[i].item.number >= ahead->queued_end && found[i].item.number > ahead->last) {
            enqueue(ahead, &found[i].item, found[i].form, found[i].unit, found[i].made_bytes);
            ahead->queued_end = found[i].item.number + 1;
            ahead->tip = found[i];
        }
    }
}

static void *work(void *arg)
{
    struct lod_readahead *ahead = arg;
    struct lod_readahead_unit units[LOD_READAHEAD_BATCH_MAX];

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

/* Returns whether there is a thread; without threads nothing is queued. The lock is held. */
static bool start_threads(struct lod_readahead *ahead)
{
    while (ahead->threads_count < ahead->threads_max &&
           lod_thread_start(&ahead->threads[ahead->threads_count], work, ahead) == 0) {
        ahead->threads_count++;
    }
    return ahead->threads_count != 0;
}

/* Returns the run that this read continues, or a new one. The lock is held. */
static struct run *follow(struct lod_readahead *ahead, uint32_t item, unsigned form, uint64_t at,
                          uint64_t bytes)
{
    struct run *run = &ahead->runs[item % RUNS];
    const bool near =
        at <= run->next + REORDER_BYTES_MAX && at + bytes + REORDER_BYTES_MAX >= run->next;

    if (!run->next || run->item != item || run->form != form || at < run->begin || !near) {
        *run = (struct run){.item = item, .form = form, .begin = at, .next = at};
    }
    run->next = at + bytes > run->next ? at + bytes : run->next;
    return run;
}

/* Queues the next units of the item. The lock is held. */
static void queue_units(struct lod_readahead *ahead, const struct lod_item *item, struct run *run,
                        uint64_t unit, uint64_t units, uint64_t made_bytes)
{
    const unsigned batch = ahead->calls->batch(ahead->ctx, item);
    const uint64_t end = unit + 1 + (batch > 1 ? batch : ahead->threads_count + UNITS_MORE);

    run->queued = run->queued > unit ? run->queued : unit + 1;
    while (run->queued < units && run->queued < end && ahead->count < QUEUE_MAX) {
        enqueue(ahead, item, run->form, run->queued++, made_bytes);
    }
}

/* Notes that the end of an item was read. Returns whether enough items were read in order. The lock
 * is held. */
static bool is_in_order(struct lod_readahead *ahead, uint32_t item)
{
    if (item != ahead->last) {
        ahead->in_order = item == ahead->last + 1 ? ahead->in_order + 1 : 0;
        ahead->queued_end = ahead->in_order ? ahead->queued_end : 0;
        ahead->orders += ahead->in_order == 0;
        ahead->last = item;
    }
    return ahead->in_order >= IN_ORDER;
}

/* Lets a thread look up the items after this one, a batch at a time. The lock is held. */
static void look_up_next(struct lod_readahead *ahead, const struct lod_readahead_unit *unit,
                         unsigned batch)
{
    const bool begun = ahead->queued_end > unit->item.number && ahead->tip.form == unit->form;

    ahead->from = begun ? ahead->tip : *unit;
    ahead->until = unit->item.number + 1 + batch;
    if (ahead->from.item.number + 1 < ahead->until) {
        pthread_cond_signal(&ahead->more);
    } else {
        ahead->until = 0;
    }
}

void lod_readahead_note(struct lod_readahead *ahead, const struct lod_item *item, unsigned form,
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
    if (units > 1 && run->next - run->begin >= LOD_READAHEAD_RUN_BYTES && start_threads(ahead)) {
        queue_units(ahead, item, run, (run->next - 1) / unit_bytes, units, made_bytes);
    }
    if (last && batch > 1 && is_in_order(ahead, item->number) && start_threads(ahead)) {
        look_up_next(ahead, &(struct lod_readahead_unit){.item = *item, .form = form}, batch);
    }
    pthread_mutex_unlock(&ahead->lock);
}
