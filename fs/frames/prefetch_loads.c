/* SPDX-License-Identifier: Apache-2.0 */
/* A table of loads under one lock, and one condition variable for all changes; see
 * prefetch_loads.h. */
#include "frames/prefetch_loads.h"

#include "clock.h"
#include "frames/prefetch_ahead.h"
#include "frames/prefix_fetch.h"

/* A reader of photographs needs less time for a record, and then loads the next one. */
#define UNLISTED_NS (5 * LOD_SECOND_NS)
/* A small request of a disk takes as long, between these sizes. With its ends in whole blocks the
 * largest is one part (remote_object.c). */
#define SMALL_NS    (LOD_SECOND_NS / 50)
#define SMALL_LEAST (256u << 10)
#define SMALL_MOST  ((1u << 20) - 2 * LOD_LOAD_ALIGN)

/* Waits until this count, of steps, grows. Returns false after LOD_PREFETCH_PATIENCE_NS. The lock
 * is held. */
static bool await_step(struct lod_prefetch *prefetch, const uint64_t *steps)
{
    const struct timespec until = lod_clock_until(LOD_PREFETCH_PATIENCE_NS);
    int late = 0;

    for (uint64_t before = *steps; *steps == before && !late;) {
        late = pthread_cond_timedwait(&prefetch->moved, &prefetch->lock, &until);
    }
    return !late;
}

/* Returns whether loads that no reader waits for take the slots that a reader of this record needs.
 * The lock is held. */
static bool is_in_the_way(struct lod_prefetch *prefetch, uint32_t record)
{
    return prefetch->slots.ahead && !lod_load_slots_may(&prefetch->slots, false) &&
           !lod_load_slots_find(&prefetch->slots, record);
}

/* Blocks until no load is in the way, or no load makes a step any more. The lock is held. */
static void await_way(struct lod_prefetch *prefetch, uint32_t record)
{
    const struct timespec until = lod_clock_until(LOD_PREFETCH_PATIENCE_NS);
    int late = 0;

    prefetch->slots.waiting++;
    while (is_in_the_way(prefetch, record) && !late) {
        late = pthread_cond_timedwait(&prefetch->moved, &prefetch->lock, &until);
    }
    prefetch->slots.waiting--;
    if (!prefetch->slots.waiting) {
        pthread_cond_broadcast(&prefetch->moved); /* background threads may continue */
    }
}

/* Adds the time that has passed to the speed of all loads. The lock is held. */
static void pass(struct lod_prefetch *prefetch)
{
    lod_load_rate_pass(&prefetch->rate, lod_clock_ns(), prefetch->slots.count);
}

struct lod_load *lod_prefetch_begin_locked(struct lod_prefetch *prefetch, uint32_t record,
                                           bool ahead)
{
    pass(prefetch);
    return lod_load_slots_begin(&prefetch->slots, record, ahead);
}

enum lod_prefetch_begun lod_prefetch_begin(struct lod_prefetch *prefetch, uint32_t record)
{
    enum lod_prefetch_begun begun = LOD_PREFETCH_MINE;

    pthread_mutex_lock(&prefetch->lock);
    if (is_in_the_way(prefetch, record)) {
        await_way(prefetch, record);
    }
    struct lod_load *load = lod_load_slots_find(&prefetch->slots, record);
    if (is_in_the_way(prefetch, record)) {
        begun = LOD_PREFETCH_STUCK;
    } else if (load || !lod_load_slots_may(&prefetch->slots, false)) {
        lod_load_slots_join(&prefetch->slots, load);
        begun = await_step(prefetch, load ? &load->steps : &prefetch->steps) ? LOD_PREFETCH_STEP
                                                                             : LOD_PREFETCH_STUCK;
    } else {
        (void)lod_prefetch_begin_locked(prefetch, record, false);
    }
    pthread_mutex_unlock(&prefetch->lock);
    return begun;
}

bool lod_prefetch_begin_ahead(struct lod_prefetch *prefetch, uint32_t record)
{
    const struct lod_load *load = NULL;

    pthread_mutex_lock(&prefetch->lock);
    for (;;) {
        load = lod_load_slots_find(&prefetch->slots, record);
        if (prefetch->over || (load && load->ahead) ||
            (!load && lod_load_slots_may(&prefetch->slots, true))) {
            break;
        }
        pthread_cond_wait(&prefetch->moved, &prefetch->lock);
    }
    const bool mine = !prefetch->over && !load;
    if (mine) {
        lod_prefetch_begin_locked(prefetch, record, true);
    }
    pthread_mutex_unlock(&prefetch->lock);
    return mine;
}

/* The load of a step. */
struct stepping {
    struct lod_prefetch *prefetch;
    struct lod_load *load;
    uint64_t bytes, slowed; /* of the buffer at the last step */
    uint64_t begun_ns;      /* when the next request began */
};

/* A load that a reader has joined gets the priority of a reader from its next request on. */
static enum lod_read_class class_of(const struct lod_load *load)
{
    return load->ahead ? LOD_READ_AHEAD : LOD_READ_DEMAND;
}

/* The rate of all loads counts, since a single request can come from a buffer. Where several loads
 * run at a time, the store is far away, and small requests would cost more. The lock is held. */
static uint64_t small_bytes(const struct lod_prefetch *prefetch)
{
    const uint64_t bytes = lod_load_rate_now(&prefetch->rate) / (LOD_SECOND_NS / SMALL_NS);
    const bool is_far = prefetch->slots.window.most > 1;

    return is_far || bytes > SMALL_MOST ? SMALL_MOST : bytes < SMALL_LEAST ? SMALL_LEAST : bytes;
}

/*
 * A reader outside the lists of jobs shares the line with their loads. For UNLISTED_NS after such a
 * read, loads of listed records are small, and only as many as keep the line busy: those that are
 * on their way in one latency, and one more. While the reader waits there is one. The lock is held.
 */
static void limit_ahead(struct lod_prefetch *prefetch)
{
    const struct lod_prefetch_cost cost = lod_prefetch_cost_now(prefetch);
    const uint64_t on_the_way = cost.bandwidth / 1000 * (cost.latency_ns / 1000) / 1000;
    const unsigned few =
        prefetch->slots.unlisted ? 1 : 2 + (unsigned)(on_the_way / small_bytes(prefetch));
    const bool recent = prefetch->lists.count && prefetch->unlisted_ns &&
                        lod_clock_ns() - prefetch->unlisted_ns < UNLISTED_NS;

    prefetch->slots.ahead_most = recent ? few : 0;
}

/* Sets how the next requests of a load are sent. The lock is held. */
static void set_way(struct lod_prefetch *prefetch, struct lod_load *load)
{
    limit_ahead(prefetch);
    load->buffer.class = class_of(load);
    load->buffer.most = prefetch->slots.ahead_most && !load->unlisted ? small_bytes(prefetch) : 0;
    load->buffer.parts = lod_load_slots_parts(&prefetch->slots);
}

static uint64_t bytes_of(const struct lod_io_buffer *buffer)
{
    return buffer->bytes - buffer->copied_bytes;
}

/* Adds a request to the measurement of the window, if several may be in flight.
 * The lock is held. */
static void learn(struct lod_prefetch *prefetch, const struct lod_load_ended *ended)
{
    lod_load_window_add(&prefetch->slots.window, ended);
    if (prefetch->slots.window.most > 1) {
        lod_io_estimate_set_together(&prefetch->fetch->estimate,
                                     lod_load_rate_now(&prefetch->rate));
    }
}

/* Counts what the load has brought since its last step. The lock is held. */
static uint64_t count_bytes(struct stepping *stepping)
{
    struct lod_prefetch *prefetch = stepping->prefetch;
    struct lod_io_buffer *buffer = &stepping->load->buffer;
    const uint64_t bytes = bytes_of(buffer) - stepping->bytes;

    pass(prefetch);
    prefetch->rate.bytes += bytes;
    const struct lod_load_ended ended = {.begun_ns = stepping->begun_ns,
                                         .ended_ns = prefetch->rate.at_ns,
                                         .bytes = bytes,
                                         .slowed = buffer->slowed > stepping->slowed};
    if (bytes || ended.slowed) {
        learn(prefetch, &ended);
    }
    stepping->bytes += bytes;
    stepping->slowed = buffer->slowed;
    stepping->begun_ns = ended.ended_ns;
    set_way(prefetch, stepping->load);
    return bytes;
}

/* Returns whether to continue. */
static bool step(void *ctx)
{
    struct stepping *stepping = ctx;
    struct lod_prefetch *prefetch = stepping->prefetch;

    pthread_mutex_lock(&prefetch->lock);
    const bool more =
        lod_load_slots_step(&prefetch->slots, stepping->load, count_bytes(stepping)) &&
        !prefetch->over;
    prefetch->steps++;
    pthread_cond_broadcast(&prefetch->moved);
    pthread_mutex_unlock(&prefetch->lock);
    return more;
}

/* The very first load stops after one step, which measures the bandwidth. */
static bool step_once(void *ctx)
{
    return step(ctx) && false;
}

/* The lock is held. */
static void end(struct lod_prefetch *prefetch, struct lod_load *load)
{
    pass(prefetch);
    lod_load_slots_end(&prefetch->slots, load);
    limit_ahead(prefetch);
    prefetch->steps++;
    pthread_cond_broadcast(&prefetch->moved);
}

void lod_prefetch_end(struct lod_prefetch *prefetch, uint32_t record)
{
    pthread_mutex_lock(&prefetch->lock);
    end(prefetch, lod_load_slots_find(&prefetch->slots, record));
    pthread_mutex_unlock(&prefetch->lock);
}

bool lod_prefetch_begin_unlisted(struct lod_prefetch *prefetch)
{
    if (!lod_prefetch_has_lists(prefetch) || lod_prefetch_cost_now(prefetch).memory) {
        return false;
    }
    pthread_mutex_lock(&prefetch->lock);
    prefetch->slots.unlisted++;
    prefetch->unlisted_ns = lod_clock_ns();
    limit_ahead(prefetch);
    pthread_mutex_unlock(&prefetch->lock);
    return true;
}

void lod_prefetch_end_unlisted(struct lod_prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    prefetch->slots.unlisted--;
    limit_ahead(prefetch);
    pthread_cond_broadcast(&prefetch->moved); /* other loads ahead may begin */
    pthread_mutex_unlock(&prefetch->lock);
}

/* Returns the load of the item's record, which was begun, and its state before it. */
static struct stepping find(struct lod_prefetch *prefetch, const struct lod_item *item,
                            struct lod_groups groups, bool listed)
{
    pthread_mutex_lock(&prefetch->lock);
    struct lod_load *load = lod_load_slots_find(&prefetch->slots, item->recd.number);
    load->expected = lod_record_desc_bytes(&item->recd, groups.first, groups.last);
    if (!load->ahead && !listed && prefetch->lists.count) {
        lod_load_slots_set_unlisted(&prefetch->slots, load);
        prefetch->unlisted_ns = lod_clock_ns();
    }
    set_way(prefetch, load);
    pthread_mutex_unlock(&prefetch->lock);
    return (struct stepping){prefetch, load, bytes_of(&load->buffer), load->buffer.slowed,
                             lod_clock_ns()};
}

/* Returns the error of a load, or -EIO if the local copy did not accept its bytes. */
static int kept(struct lod_prefetch *prefetch, const struct lod_item *item,
                struct lod_groups groups, enum lod_ahead_place place, int error)
{
    return error || place == LOD_AHEAD_MEMORY ||
                   lod_dataset_groups_copied(prefetch->fetch->dataset, &item->recd, groups.first,
                                             groups.last)
               ? error
               : -EIO;
}

int lod_prefetch_load(struct lod_prefetch *prefetch, const struct lod_item *item,
                      struct lod_groups groups)
{
    enum lod_ahead_place place;

    const bool listed = lod_prefetch_listed(prefetch, item->recd.number, &place).last;
    struct stepping stepping = find(prefetch, item, groups, listed);
    const bool all = stepping.load->buffer.class == LOD_READ_AHEAD ||
                     lod_io_estimate_has_bandwidth(&prefetch->fetch->estimate);
    struct lod_frame_pins pins = {.bytes = &prefetch->fetch->pinned};
    int error = lod_prefix_fetch(prefetch->fetch, &stepping.load->buffer, item, groups,
                                 place == LOD_AHEAD_MEMORY ? &pins : NULL, all ? step : step_once,
                                 &stepping);
    if (!error) {
        lod_prefetch_note_loaded(prefetch, &item->recd, groups);
    }
    if (place) {
        lod_prefetch_hold(prefetch, item->recd.number, groups,
                          kept(prefetch, item, groups, place, error), &pins);
    }
    pthread_mutex_lock(&prefetch->lock);
    (void)count_bytes(&stepping);
    end(prefetch, stepping.load);
    pthread_mutex_unlock(&prefetch->lock);
    return error;
}
