/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Token buckets, each kept as one time at which all requests so far would be done: one for bytes,
 * one for requests. A request adds its own duration and sleeps until then, less the burst.
 *
 * A request also occupies one of `parallel` slots, from its latency to its last byte. With one slot
 * latencies add up like the seeks of a hard disk; with more they overlap, as those of an object
 * store do.
 */
#include "backend/slow.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"

#define MS_NS     1000000ull
#define LOADS_MAX 4u           /* in flight at first, as of an object store */
#define BURST_NS  (50 * MS_NS) /* allowance of an idle store; longer pauses do not increase it */

struct bucket {
    struct lod_slow slow;
    struct lod_store *inner;
    pthread_mutex_t lock;                     /* guards all below */
    uint64_t bytes_due_ns, requests_due_ns;   /* the two clocks */
    uint64_t slots_ns[LOD_SLOW_PARALLEL_MAX]; /* when each is free */
};

struct slow_object {
    struct bucket *bucket;
    struct lod_object *inner;
};

static uint64_t moving_ns(const struct lod_slow *slow, size_t bytes)
{
    uint64_t rate = slow->bytes_per_second;

    return rate ? bytes / rate * LOD_SECOND_NS + bytes % rate * LOD_SECOND_NS / rate : 0;
}

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static unsigned slots_of(const struct bucket *bucket)
{
    return bucket->slow.parallel ? bucket->slow.parallel : 1;
}

static uint64_t *free_slot(struct bucket *bucket)
{
    uint64_t *first = &bucket->slots_ns[0];

    for (unsigned i = 1; i < slots_of(bucket); i++) {
        first = bucket->slots_ns[i] < *first ? &bucket->slots_ns[i] : first;
    }
    return first;
}

/* Returns when the request is done. */
static uint64_t reserve(struct bucket *bucket, size_t bytes)
{
    const struct lod_slow *slow = &bucket->slow;

    pthread_mutex_lock(&bucket->lock);
    const uint64_t idle = lod_clock_ns() - BURST_NS;
    uint64_t *slot = free_slot(bucket);
    if (slow->requests_per_second) {
        bucket->requests_due_ns =
            latest(bucket->requests_due_ns, idle) + LOD_SECOND_NS / slow->requests_per_second;
    }
    const uint64_t begun =
        latest(latest(*slot, idle) + slow->latency_ms * MS_NS, bucket->requests_due_ns);
    if (slow->bytes_per_second) {
        bucket->bytes_due_ns = latest(bucket->bytes_due_ns, begun) + moving_ns(slow, bytes);
    }
    *slot = latest(begun, bucket->bytes_due_ns);
    const uint64_t due = *slot;
    pthread_mutex_unlock(&bucket->lock);
    return due;
}

static void sleep_until(uint64_t due)
{
    const struct timespec until = {.tv_sec = (time_t)(due / LOD_SECOND_NS),
                                   .tv_nsec = (long)(due % LOD_SECOND_NS)};

    while (due > lod_clock_ns() &&
           clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

static void slow_close(void *state)
{
    struct bucket *bucket = state;

    lod_store_close(bucket->inner);
    pthread_mutex_destroy(&bucket->lock);
    free(bucket);
}

static int slow_list(void *state, const char *folder, lod_store_each each, void *ctx)
{
    struct bucket *bucket = state;

    return lod_store_list(bucket->inner, folder, each, ctx);
}

static int slow_object_open(void *state, const char *name, const struct lod_object_facts *facts,
                            void **ret_object, uint64_t *ret_bytes)
{
    struct slow_object *object = calloc(1, sizeof(*object));

    if (!object) {
        return -ENOMEM;
    }
    object->bucket = state;
    int error = lod_object_open_known(object->bucket->inner, name, facts, &object->inner);
    if (error) {
        free(object);
        return error;
    }
    *ret_bytes = lod_object_bytes(object->inner);
    *ret_object = object;
    return 0;
}

static void slow_object_close(void *state)
{
    struct slow_object *object = state;

    lod_object_close(object->inner);
    free(object);
}

static void slow_object_read(void *state, struct lod_range *ranges, unsigned count,
                             enum lod_read_class class, struct lod_read_time *ret_time)
{
    struct slow_object *object = state;

    (void)ret_time; /* the inner store's times do not include the delay */
    for (unsigned at = 0; at < count; at += slots_of(object->bucket)) {
        const unsigned left = count - at, slots = slots_of(object->bucket);
        const unsigned some = left < slots ? left : slots;
        uint64_t due = 0;
        for (unsigned i = at; i < at + some; i++) {
            due = latest(due, reserve(object->bucket, ranges[i].bytes));
        }
        sleep_until(due);
        const int first = lod_object_read(object->inner, ranges + at, some, class, NULL);
        (void)first; /* each range has its own error */
    }
}

static int slow_object_load(void *state, uint64_t offset, void *into, size_t bytes,
                            enum lod_read_class class, struct lod_read_time *ret_time)
{
    struct slow_object *object = state;

    (void)ret_time;
    sleep_until(reserve(object->bucket, bytes));
    return lod_object_load(object->inner, offset, into, lod_load_whole(bytes), class, NULL);
}

static bool slow_object_doubt(void *state, uint64_t offset, size_t bytes)
{
    struct slow_object *object = state;

    return lod_object_doubt(object->inner, offset, bytes);
}

static unsigned slow_loads(const void *state)
{
    const struct bucket *bucket = state;

    const unsigned inner = lod_store_loads(bucket->inner);
    const unsigned own = slots_of(bucket) < LOADS_MAX ? slots_of(bucket) : LOADS_MAX;

    return inner > own ? inner : own;
}

static unsigned slow_ranges(const void *state)
{
    return slots_of(state);
}

static bool slow_is_far(const void *state)
{
    const struct bucket *bucket = state;

    return bucket->slow.latency_ms || lod_store_is_far(bucket->inner);
}

static void slow_stop(void *state)
{
    struct bucket *bucket = state;

    lod_store_stop(bucket->inner);
}

static bool slow_trouble(void *state, char *text, size_t room)
{
    struct bucket *bucket = state;

    return lod_store_trouble(bucket->inner, text, room);
}

static void slow_stats(void *state, struct lod_store_stats *ret_stats)
{
    struct bucket *bucket = state;

    lod_store_stats(bucket->inner, ret_stats);
}

static const struct lod_store_backend backend = {
    .name = "slow",
    .close = slow_close,
    .list = slow_list,
    .object_open = slow_object_open,
    .object_close = slow_object_close,
    .object_read = slow_object_read,
    .object_load = slow_object_load,
    .object_doubt = slow_object_doubt,
    .loads = slow_loads,
    .ranges = slow_ranges,
    .is_far = slow_is_far,
    .stop = slow_stop,
    .trouble = slow_trouble,
    .stats = slow_stats,
};

bool lod_slow_is(const struct lod_slow *slow)
{
    return slow->bytes_per_second || slow->latency_ms || slow->requests_per_second;
}

int lod_slow_create(const struct lod_slow *slow, struct lod_store *inner,
                    struct lod_store **ret_store)
{
    struct bucket *bucket = calloc(1, sizeof(*bucket));

    if (!bucket) {
        return -ENOMEM;
    }
    bucket->slow = *slow;
    bucket->inner = inner;
    pthread_mutex_init(&bucket->lock, NULL);
    int error = lod_store_wrap(&backend, bucket, lod_store_location(inner), ret_store);
    if (error) {
        pthread_mutex_destroy(&bucket->lock);
        free(bucket);
    }
    return error;
}
