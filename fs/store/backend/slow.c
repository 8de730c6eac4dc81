/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A token bucket, kept as one time: `due` is the time at which all requests so far would be done. A
 * request adds its own duration and sleeps until then, less the burst. One device serves one
 * request at a time, so latencies add up like the seeks of a hard disk.
 */
#include "backend/slow.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"

#define MS_NS    1000000ull
#define BURST_NS (50 * MS_NS) /* allowance of an idle store; longer pauses do not increase it */

struct bucket {
    struct lod_slow slow;
    struct lod_store *inner;
    pthread_mutex_t lock;
    uint64_t due_ns; /* guarded by lock */
};

struct slow_object {
    struct bucket *bucket;
    struct lod_object *inner;
};

static uint64_t cost_ns(const struct lod_slow *slow, size_t bytes)
{
    uint64_t rate = slow->bytes_per_second;
    uint64_t moving = rate ? bytes / rate * LOD_SECOND_NS + bytes % rate * LOD_SECOND_NS / rate : 0;

    return slow->latency_ms * MS_NS + moving;
}

static void pay(struct bucket *bucket, size_t bytes)
{
    pthread_mutex_lock(&bucket->lock);
    uint64_t now = lod_clock_ns();
    if (bucket->due_ns + BURST_NS < now) {
        bucket->due_ns = now - BURST_NS;
    }
    bucket->due_ns += cost_ns(&bucket->slow, bytes);
    uint64_t due = bucket->due_ns;
    pthread_mutex_unlock(&bucket->lock);
    struct timespec until = {.tv_sec = (time_t)(due / LOD_SECOND_NS),
                             .tv_nsec = (long)(due % LOD_SECOND_NS)};
    while (due > now && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
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
    for (unsigned i = 0; i < count; i++) {
        pay(object->bucket, ranges[i].bytes);
        ranges[i].error = lod_object_read(object->inner, &ranges[i], 1, class, NULL);
    }
}

static int slow_object_load(void *state, uint64_t offset, void *into, size_t bytes,
                            enum lod_read_class class, struct lod_read_time *ret_time)
{
    struct slow_object *object = state;

    (void)ret_time;
    pay(object->bucket, bytes);
    return lod_object_load(object->inner, offset, into, lod_load_whole(bytes), class, NULL);
}

static uint64_t slow_object_copied(void *state)
{
    struct slow_object *object = state;

    return lod_object_copied(object->inner);
}

static void slow_object_offer(void *state, uint64_t offset, const void *from, size_t bytes)
{
    struct slow_object *object = state;

    lod_object_offer(object->inner, offset, from, bytes);
}

static bool slow_object_doubt(void *state, uint64_t offset, size_t bytes)
{
    struct slow_object *object = state;

    return lod_object_doubt(object->inner, offset, bytes);
}

static unsigned slow_loads(const void *state)
{
    const struct bucket *bucket = state;

    return lod_store_loads(bucket->inner);
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
    .object_copied = slow_object_copied,
    .object_offer = slow_object_offer,
    .object_doubt = slow_object_doubt,
    .loads = slow_loads,
    .is_far = slow_is_far,
    .stop = slow_stop,
    .trouble = slow_trouble,
    .stats = slow_stats,
};

bool lod_slow_is(const struct lod_slow *slow)
{
    return slow->bytes_per_second || slow->latency_ms;
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
