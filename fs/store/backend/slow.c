/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Token buckets, each kept as the time at which all requests so far would be done: one for bytes,
 * one for requests. A request adds its own duration and sleeps until then, less the burst.
 *
 * A request also occupies one of `parallel` slots, from its latency to its last byte. With one slot
 * latencies add up like the seeks of a hard disk; with more they overlap, as those of an object
 * store do.
 *
 * Each bucket and each slot has two such times. A DEMAND request waits only for other DEMAND
 * requests: it does not wait for requests AHEAD, and the time that it takes is added as a debt to
 * the next of those. A debt of a second is enough: then DEMAND waits as well, so that the limit
 * holds.
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
/* A slot that was left at most this long ago counts as still in use, since its user may have slept
 * too long. */
#define LATE_NS (2 * MS_NS)

/* The times at which a shared resource, such as the line, is free again. */
struct turn {
    uint64_t demand_ns; /* for DEMAND */
    uint64_t all_ns;    /* for AHEAD; at least the same */
    uint64_t owed_ns;   /* time used by DEMAND that requests AHEAD have not waited for yet */
};

struct bucket {
    struct lod_slow slow;
    struct lod_store *inner;
    pthread_mutex_t lock;                     /* guards all below */
    struct turn bytes, requests;              /* the two clocks */
    struct turn slots[LOD_SLOW_PARALLEL_MAX]; /* one for each request at a time */
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

static uint64_t *of_class(struct turn *turn, enum lod_read_class class)
{
    return class == LOD_READ_DEMAND ? &turn->demand_ns : &turn->all_ns;
}

/* Occupies the resource for `ns`, not before `from`. Returns the end of that time. */
static uint64_t take(struct turn *turn, enum lod_read_class class, uint64_t from, uint64_t ns)
{
    uint64_t start = latest(*of_class(turn, class), from);

    if (class == LOD_READ_DEMAND && start < turn->all_ns && turn->owed_ns + ns > LOD_SECOND_NS) {
        start = turn->all_ns;
    }
    if (class == LOD_READ_DEMAND) {
        turn->demand_ns = start + ns;
        turn->owed_ns += start < turn->all_ns ? ns : 0;
    } else {
        turn->owed_ns = 0;
    }
    turn->all_ns = latest(turn->all_ns, start) + ns;
    return class == LOD_READ_DEMAND ? turn->demand_ns : turn->all_ns;
}

/* Occupies a slot from `from` to `due`. */
static void leave(struct turn *slot, enum lod_read_class class, uint64_t from, uint64_t due)
{
    if (class == LOD_READ_DEMAND) {
        slot->demand_ns = due;
        slot->all_ns = latest(slot->all_ns, from) + (due - from);
    } else {
        slot->all_ns = due;
    }
}

static struct turn *free_slot(struct bucket *bucket, enum lod_read_class class)
{
    struct turn *first = &bucket->slots[0];

    for (unsigned i = 1; i < slots_of(bucket); i++) {
        struct turn *slot = &bucket->slots[i];
        first = *of_class(slot, class) < *of_class(first, class) ? slot : first;
    }
    return first;
}

/* The times of a request: now, of its first byte, of its last. */
struct times {
    uint64_t asked_ns, begun_ns, due_ns;
};

static struct times reserve(struct bucket *bucket, size_t bytes, enum lod_read_class class)
{
    const struct lod_slow *slow = &bucket->slow;
    struct times times = {.asked_ns = lod_clock_ns()};

    pthread_mutex_lock(&bucket->lock);
    struct turn *slot = free_slot(bucket, class);
    const uint64_t left = *of_class(slot, class);
    const uint64_t from = left + LATE_NS >= times.asked_ns ? left : times.asked_ns;
    times.begun_ns = from + slow->latency_ms * MS_NS;
    if (slow->requests_per_second) {
        times.begun_ns =
            latest(times.begun_ns, take(&bucket->requests, class, times.asked_ns - BURST_NS,
                                        LOD_SECOND_NS / slow->requests_per_second));
    }
    times.due_ns = times.begun_ns;
    if (slow->bytes_per_second) {
        const uint64_t idle = slow->latency_ms ? times.begun_ns : times.begun_ns - BURST_NS;
        times.due_ns =
            latest(times.begun_ns, take(&bucket->bytes, class, idle, moving_ns(slow, bytes)));
    }
    leave(slot, class, from, times.due_ns);
    pthread_mutex_unlock(&bucket->lock);
    return times;
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

    pthread_mutex_destroy(&bucket->lock);
    free(bucket);
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

/* Returns when the first byte comes: 0 if it was not delayed, so that no time is reported. */
static uint64_t first_byte_ns(const struct times *times, const struct lod_read_time *inner)
{
    return times->begun_ns > times->asked_ns
               ? times->begun_ns - times->asked_ns + inner->first_byte_ns
               : inner->first_byte_ns;
}

/* Reads ranges whose delays overlap. */
static void read_some(struct slow_object *object, struct lod_range *ranges, unsigned count,
                      enum lod_read_class class, struct lod_read_time *ret_time)
{
    struct lod_read_time time = {0};
    struct times first = {0};
    uint64_t due = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct times times = reserve(object->bucket, ranges[i].bytes, class);
        first = i ? first : times;
        due = latest(due, times.due_ns);
    }
    sleep_until(due);
    const int error = lod_object_read(object->inner, ranges, count, class, &time);
    (void)error; /* each range has its own */
    *ret_time = (struct lod_read_time){.first_byte_ns = first_byte_ns(&first, &time),
                                       .slowed = time.slowed};
}

static void slow_object_read(void *state, struct lod_range *ranges, unsigned count,
                             enum lod_read_class class, struct lod_read_time *ret_time)
{
    struct slow_object *object = state;
    const unsigned slots = slots_of(object->bucket);
    struct lod_read_time time = {0};

    for (unsigned at = 0; at < count; at += slots) {
        const unsigned left = count - at;
        read_some(object, ranges + at, left < slots ? left : slots, class, &time);
        *ret_time = at ? *ret_time : time;
    }
}

/* All parts together share the limit, so they are delayed as one request. */
static int slow_object_load(void *state, uint64_t offset, void *into, size_t bytes,
                            enum lod_read_class class, unsigned parts,
                            struct lod_read_time *ret_time)
{
    struct slow_object *object = state;
    struct lod_read_time time = {0};
    const struct times times = reserve(object->bucket, bytes, class);

    sleep_until(times.due_ns);
    int error =
        lod_object_load(object->inner, offset, into, lod_load_whole(bytes), class, parts, &time);
    *ret_time = (struct lod_read_time){.first_byte_ns = first_byte_ns(&times, &time),
                                       .slowed = time.slowed};
    return error;
}

static bool slow_object_report_wrong(void *state, uint64_t offset, size_t bytes)
{
    struct slow_object *object = state;

    return lod_object_report_wrong(object->inner, offset, bytes);
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

static const struct lod_store_backend backend = {
    .name = "slow",
    .close = slow_close,
    .object_open = slow_object_open,
    .object_close = slow_object_close,
    .object_read = slow_object_read,
    .object_load = slow_object_load,
    .object_report_wrong = slow_object_report_wrong,
    .loads = slow_loads,
    .ranges = slow_ranges,
    .is_far = slow_is_far,
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
    int error = lod_store_wrap(&backend, bucket, inner, ret_store);
    if (error) {
        pthread_mutex_destroy(&bucket->lock);
        free(bucket);
    }
    return error;
}
