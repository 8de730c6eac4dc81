/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of an entry. The test fails if a state is skipped, or a failure is forgotten too soon
 * or too late.
 */
#include "memory/flight.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <unistd.h>

static struct lod_flight_table table;

static void begin(void)
{
    cr_assert_eq(lod_flight_init(&table), 0);
}

static void end(void)
{
    lod_flight_finish(&table);
}

TestSuite(flight, .init = begin, .fini = end);

static struct lod_flight_shard *locked(struct lod_key key)
{
    struct lod_flight_shard *shard = &table.shards[lod_flight_shard_of(key)];

    pthread_mutex_lock(&shard->lock);
    return shard;
}

Test(flight, an_entry_goes_from_absent_to_loading_to_ready)
{
    struct lod_flight flight = {.key = {5, 6}};
    struct lod_flight_shard *shard = locked(flight.key);

    cr_assert_null(lod_flight_find(shard, flight.key));
    lod_flight_link(shard, &flight);
    cr_assert_eq(lod_flight_find(shard, flight.key), &flight);
    cr_assert_eq(flight.state, LOD_FLIGHT_LOADING);
    cr_assert_null(lod_flight_find(shard, (struct lod_key){5, 7}));
    lod_flight_complete(shard, &flight, 0);
    cr_assert_eq(flight.state, LOD_FLIGHT_READY);
    cr_assert(!lod_flight_is_stale(&flight));
    lod_flight_unlink(shard, &flight);
    cr_assert_null(lod_flight_find(shard, flight.key));
    pthread_mutex_unlock(&shard->lock);
}

Test(flight, failures_are_remembered_unless_they_are_temporary)
{
    struct lod_flight flight = {.key = {5, 6}};
    struct lod_flight_shard *shard = locked(flight.key);

    lod_flight_link(shard, &flight);
    lod_flight_complete(shard, &flight, -EIO);
    cr_assert_eq(lod_flight_find(shard, flight.key), &flight);
    cr_assert_eq(flight.error, -EIO);
    cr_assert(!lod_flight_is_stale(&flight));
    flight.failed_until_ns = 1;
    cr_assert(lod_flight_is_stale(&flight));
    lod_flight_unlink(shard, &flight);
    static const int passing[] = {-ENOMEM, -EINTR, -ETIME, -EMFILE, -ENFILE};
    for (unsigned i = 0; i < sizeof(passing) / sizeof(passing[0]); i++) {
        lod_flight_link(shard, &flight);
        lod_flight_complete(shard, &flight, passing[i]);
        cr_assert(!flight.linked);
    }
    pthread_mutex_unlock(&shard->lock);
}

Test(flight, many_keys_of_one_shard_are_all_found)
{
    static struct lod_flight flights[5000];
    struct lod_flight_shard *shard = locked((struct lod_key){9, 0});

    for (unsigned i = 0; i < 5000; i++) {
        flights[i].key = (struct lod_key){9, i};
        lod_flight_link(shard, &flights[i]);
    }
    for (unsigned i = 0; i < 5000; i += 2) {
        lod_flight_unlink(shard, &flights[i]);
    }
    for (unsigned i = 0; i < 5000; i++) {
        struct lod_flight *found = lod_flight_find(shard, (struct lod_key){9, i});
        cr_assert_eq(found, i % 2 ? &flights[i] : NULL);
    }
    pthread_mutex_unlock(&shard->lock);
}

static void *land(void *arg)
{
    struct lod_flight *flight = arg;
    struct lod_flight_shard *shard = &table.shards[lod_flight_shard_of(flight->key)];

    pthread_mutex_lock(&shard->lock);
    while (!shard->waiters) {
        pthread_mutex_unlock(&shard->lock);
        usleep(100);
        pthread_mutex_lock(&shard->lock);
    }
    lod_flight_complete(shard, flight, 0);
    pthread_mutex_unlock(&shard->lock);
    return NULL;
}

Test(flight, a_waiter_is_woken_or_gives_up_at_its_deadline)
{
    struct lod_flight flight = {.key = {1, 2}};
    struct timespec until = {0}, past = {.tv_sec = 1};
    struct lod_flight_shard *shard = locked(flight.key);
    pthread_t thread;

    lod_flight_link(shard, &flight);
    cr_assert_eq(lod_flight_wait(shard, &past), -ETIME);
    cr_assert_eq(pthread_create(&thread, NULL, land, &flight), 0);
    while (flight.state == LOD_FLIGHT_LOADING) {
        cr_assert_eq(lod_flight_wait(shard, &until), 0);
    }
    cr_assert_gt(until.tv_sec, 1, "the deadline of all waits of one call");
    pthread_mutex_unlock(&shard->lock);
    pthread_join(thread, NULL);
}
