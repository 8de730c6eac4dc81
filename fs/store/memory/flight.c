/* SPDX-License-Identifier: Apache-2.0 */
/* Chained hash tables under 64 locks; see flight.h. */
#include "memory/flight.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"

#define BUCKETS_MIN 16u

/* Keys are small numbers in fixed fields. Multiplying and folding twice mixes all their bits. */
static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

unsigned lod_flight_shard_of(struct lod_key key)
{
    return (unsigned)(mix(key.high) % LOD_FLIGHT_SHARDS);
}

static struct lod_flight **bucket_of(struct lod_flight_shard *shard, struct lod_key key)
{
    return &shard->buckets[mix(key.high * 0x9e3779b97f4a7c15u ^ key.low) &
                           (shard->buckets_count - 1)];
}

struct lod_flight *lod_flight_find(struct lod_flight_shard *shard, struct lod_key key)
{
    struct lod_flight *flight = *bucket_of(shard, key);

    while (flight && (flight->key.low != key.low || flight->key.high != key.high)) {
        flight = flight->chain;
    }
    return flight;
}

bool lod_flight_is_stale(const struct lod_flight *flight)
{
    return flight->state == LOD_FLIGHT_FAILED && lod_clock_ns() >= flight->failed_until_ns;
}

/* Doubles the table. If memory is exhausted, the chains only grow longer. */
static void grow(struct lod_flight_shard *shard)
{
    uint64_t old_count = shard->buckets_count;
    struct lod_flight **old = shard->buckets;
    struct lod_flight **buckets = calloc(2 * old_count, sizeof(struct lod_flight *));

    if (!buckets) {
        return;
    }
    shard->buckets = buckets;
    shard->buckets_count = 2 * old_count;
    for (uint64_t i = 0; i < old_count; i++) {
        for (struct lod_flight *flight = old[i], *next; flight; flight = next) {
            struct lod_flight **bucket = bucket_of(shard, flight->key);
            next = flight->chain;
            flight->chain = *bucket;
            *bucket = flight;
        }
    }
    free(old);
}

void lod_flight_link(struct lod_flight_shard *shard, struct lod_flight *flight)
{
    if (shard->entries == shard->buckets_count) {
        grow(shard);
    }
    struct lod_flight **bucket = bucket_of(shard, flight->key);
    flight->state = LOD_FLIGHT_LOADING;
    flight->chain = *bucket;
    flight->linked = true;
    *bucket = flight;
    shard->entries++;
}

void lod_flight_unlink(struct lod_flight_shard *shard, struct lod_flight *flight)
{
    struct lod_flight **link = bucket_of(shard, flight->key);

    while (*link != flight) {
        link = &(*link)->chain;
    }
    *link = flight->chain;
    flight->chain = NULL;
    flight->linked = false;
    shard->entries--;
}

void lod_flight_complete(struct lod_flight_shard *shard, struct lod_flight *flight, int error)
{
    flight->error = error;
    flight->state = error ? LOD_FLIGHT_FAILED : LOD_FLIGHT_READY;
    if (lod_error_is_temporary(error)) {
        lod_flight_unlink(shard, flight);
    } else if (error) {
        flight->failed_until_ns = lod_clock_ns() + LOD_FLIGHT_FAILED_NS;
    }
    if (shard->waiters) {
        pthread_cond_broadcast(&shard->landed);
    }
}

int lod_flight_wait(struct lod_flight_shard *shard, struct timespec *until)
{
    if (!until->tv_sec && !until->tv_nsec) {
        *until = lod_clock_until(LOD_FLIGHT_WAIT_NS);
    }
    shard->waiters++;
    int late = pthread_cond_timedwait(&shard->landed, &shard->lock, until);
    shard->waiters--;
    return late ? -ETIME : 0;
}

bool lod_flight_has(struct lod_flight_shard *shard, struct lod_key key)
{
    const struct lod_flight *flight = lod_flight_find(shard, key);

    return flight && flight->state != LOD_FLIGHT_FAILED;
}

int lod_flight_settle(struct lod_flight_shard *shard, struct lod_key key,
                      struct lod_flight **ret_flight)
{
    struct timespec until = {0};
    int error = 0;

    do {
        *ret_flight = lod_flight_find(shard, key);
    } while (*ret_flight && (*ret_flight)->state == LOD_FLIGHT_LOADING &&
             !(error = lod_flight_wait(shard, &until)));
    return error;
}

int lod_flight_shard_init(struct lod_flight_shard *shard)
{
    *shard = (struct lod_flight_shard){.buckets_count = BUCKETS_MIN};
    shard->buckets = calloc(BUCKETS_MIN, sizeof(struct lod_flight *));
    if (!shard->buckets) {
        return -ENOMEM;
    }
    pthread_mutex_init(&shard->lock, NULL);
    lod_clock_cond_init(&shard->landed);
    return 0;
}

void lod_flight_shard_finish(struct lod_flight_shard *shard)
{
    if (shard->buckets) {
        free(shard->buckets);
        pthread_cond_destroy(&shard->landed);
        pthread_mutex_destroy(&shard->lock);
    }
}

int lod_flight_init(struct lod_flight_table *table)
{
    int error = 0;

    *table = (struct lod_flight_table){0};
    for (unsigned i = 0; i < LOD_FLIGHT_SHARDS && !error; i++) {
        error = lod_flight_shard_init(&table->shards[i]);
    }
    return error;
}

void lod_flight_finish(struct lod_flight_table *table)
{
    for (unsigned i = 0; i < LOD_FLIGHT_SHARDS; i++) {
        lod_flight_shard_finish(&table->shards[i]);
    }
}
