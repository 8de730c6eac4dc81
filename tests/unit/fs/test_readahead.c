/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <unistd.h>

#include "read/readahead.h"

#define UNIT  ((uint64_t)300 << 10)
#define UNITS 20u
#define STEP  ((uint64_t)128 << 10)

#define ITEMS 100u

struct made {
    pthread_mutex_t lock;
    unsigned times[ITEMS][UNITS]; /* for each item */
    unsigned all, most;           /* largest batch */
    unsigned batch;               /* 0: one */
    pthread_mutex_t *gate;        /* lookups wait for this; NULL: they do not */
};

static void make(void *ctx, const struct lod_readahead_unit *units, unsigned count)
{
    struct made *made = ctx;

    pthread_mutex_lock(&made->lock);
    for (unsigned i = 0; i < count; i++) {
        made->times[units[i].item.number][units[i].unit]++;
        made->all++;
    }
    made->most = count > made->most ? count : made->most;
    pthread_mutex_unlock(&made->lock);
    usleep(made->batch ? 20000 : 0);
}

static unsigned batch(void *ctx, const struct lod_item *item)
{
    (void)item;
    return ((struct made *)ctx)->batch ? ((struct made *)ctx)->batch : 1;
}

static bool next(void *ctx, const struct lod_readahead_unit *unit,
                 struct lod_readahead_unit *ret_next)
{
    struct made *made = ctx;

    if (made->gate) {
        pthread_mutex_lock(made->gate);
        pthread_mutex_unlock(made->gate);
    }
    *ret_next =
        (struct lod_readahead_unit){.item.number = unit->item.number + 1, .made_bytes = UNIT};
    return ret_next->item.number < ITEMS;
}

static const struct lod_readahead_calls calls = {.make = make, .batch = batch, .next = next};

static unsigned all(struct made *made)
{
    pthread_mutex_lock(&made->lock);
    unsigned count = made->all;
    pthread_mutex_unlock(&made->lock);
    return count;
}

static void note(struct lod_readahead *ahead, uint32_t item, uint64_t at, uint64_t bytes)
{
    const struct lod_item i = {.number = item};
    lod_readahead_note(ahead, &i, 0, UNIT, UNITS * UNIT - 5, at, bytes);
}

/* Waits for threads that a busy machine does not run, half a minute at most. */
static void settle(struct made *made, unsigned expected)
{
    for (unsigned i = 0; i < 15000 && all(made) < expected; i++) {
        usleep(2000);
    }
    cr_assert_eq(all(made), expected);
}

Test(readahead, a_file_read_in_sequence_is_made_once)
{
    struct made made = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct lod_readahead *ahead = NULL;

    cr_assert_eq(lod_readahead_create(3, &calls, &made, &ahead), 0);
    for (uint64_t at = 0; at < LOD_READAHEAD_RUN_BYTES - STEP; at += STEP) {
        note(ahead, 1, at, STEP);
    }
    cr_assert_eq(all(&made), 0, "a single range brings nothing");
    note(ahead, 1, LOD_READAHEAD_RUN_BYTES - STEP, STEP);
    settle(&made, 4); /* units 2 .. 5: one for each thread and one more */
    for (uint64_t at = LOD_READAHEAD_RUN_BYTES; at < UNITS * UNIT; at += STEP) {
        note(ahead, 1, at, STEP);
        usleep(1000);
    }
    settle(&made, UNITS - 2);
    for (unsigned i = 2; i < UNITS; i++) {
        cr_assert_eq(made.times[1][i], 1, "unit %u", i);
    }
    cr_assert_null(lod_readahead_destroy(ahead));
}

/* The kernel's readahead requests: neighbours arrive out of order. */
Test(readahead, requests_may_arrive_out_of_order)
{
    struct made made = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct lod_readahead *ahead = NULL;

    cr_assert_eq(lod_readahead_create(1, &calls, &made, &ahead), 0);
    for (uint64_t at = 0; at < UNITS * UNIT; at += 2 * STEP) {
        note(ahead, 2, at + STEP, STEP);
        note(ahead, 2, at, STEP);
        note(ahead, 3, at, STEP);
        note(ahead, 3, at + STEP, STEP);
    }
    settle(&made, 2 * (UNITS - 2)); /* the run of each file begins in unit 1 */
    lod_readahead_destroy(ahead);
    for (unsigned i = 0; i < UNITS; i++) {
        cr_assert_eq(made.times[2][i], i > 1);
        cr_assert_eq(made.times[3][i], i > 1);
    }
}

Test(readahead, scattered_reads_cause_no_readahead)
{
    struct made made = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct lod_readahead *ahead = NULL;

    cr_assert_eq(lod_readahead_create(2, &calls, &made, &ahead), 0);
    for (unsigned i = 0; i < 200; i++) {
        note(ahead, 1, i * 7919 % UNITS * UNIT, 4096);
    }
    for (uint64_t at = UNITS * UNIT - STEP; at > 2 * STEP; at -= STEP) {
        note(ahead, 1, at - 5, STEP); /* backwards */
    }
    usleep(20000);
    cr_assert_eq(all(&made), 0);
    lod_readahead_destroy(ahead);
}

Test(readahead, no_threads_or_a_single_unit_mean_no_readahead)
{
    struct made made = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct lod_item item = {.number = 1};
    struct lod_readahead *ahead = NULL;

    cr_assert_eq(lod_readahead_create(0, &calls, &made, &ahead), 0);
    for (uint64_t at = 0; at < UNITS * UNIT; at += STEP) {
        note(ahead, 1, at, STEP);
    }
    lod_readahead_destroy(ahead);
    cr_assert_eq(lod_readahead_create(2, &calls, &made, &ahead), 0);
    lod_readahead_note(ahead, &item, 0, 1 << 20, 1 << 20, 0, 1 << 20);
    lod_readahead_destroy(ahead);
    cr_assert_eq(made.all, 0);
    cr_assert_null(lod_readahead_destroy(NULL));
}

/* A device makes many units at once, so more are queued: of one file .. */
Test(readahead, devices_get_whole_batches)
{
    struct made made = {.lock = PTHREAD_MUTEX_INITIALIZER, .batch = 8};
    struct lod_readahead *ahead = NULL;

    cr_assert_eq(lod_readahead_create(1, &calls, &made, &ahead), 0);
    for (uint64_t at = 0; at < UNITS * UNIT; at += STEP) {
        note(ahead, 1, at, STEP);
    }
    settle(&made, UNITS - 2);
    lod_readahead_destroy(ahead);
    cr_assert_gt(made.most, 1);
    cr_assert_leq(made.most, 8);
}

/* .. and of files in the order of the store. */
Test(readahead, files_in_order_make_the_next_ones_once)
{
    struct made made = {.lock = PTHREAD_MUTEX_INITIALIZER, .batch = 16};
    struct lod_readahead *ahead = NULL;

    cr_assert_eq(lod_readahead_create(2, &calls, &made, &ahead), 0);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const struct lod_item item = {.number = i * 7 % ITEMS};
        lod_readahead_note(ahead, &item, 0, UNIT, UNIT, 0, UNIT);
    }
    usleep(50000);
    cr_assert_eq(all(&made), 0, "no order");
    for (uint32_t i = 0; i < ITEMS; i++) {
        const struct lod_item item = {.number = i};
        lod_readahead_note(ahead, &item, 0, UNIT, UNIT, 0, UNIT);
        const uint32_t end = i + 1 + made.batch < ITEMS ? i + 1 + made.batch : ITEMS;
        /* items 0 .. 2 are read in order, which starts readahead */
        settle(&made, i < 2 ? 0 : end - 3);
    }
    lod_readahead_destroy(ahead);
    for (unsigned i = 0; i < ITEMS; i++) {
        cr_assert_eq(made.times[i][0], i > 2, "item %u", i);
    }
}

/* A lookup can read a slow store meanwhile; readers and other threads continue. */
Test(readahead, no_reader_waits_for_a_lookup_in_the_index, .timeout = 300)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    struct made made = {.lock = PTHREAD_MUTEX_INITIALIZER, .batch = 8, .gate = &gate};
    struct lod_readahead *ahead = NULL;

    cr_assert_eq(lod_readahead_create(2, &calls, &made, &ahead), 0);
    pthread_mutex_lock(&gate);
    for (uint32_t i = 0; i < ITEMS / 2; i++) {
        const struct lod_item item = {.number = i};
        lod_readahead_note(ahead, &item, 0, UNIT, UNIT, 0, UNIT);
        usleep(i == 10 ? 50000 : 0); /* by now a thread waits */
    }
    cr_assert_eq(all(&made), 0);
    pthread_mutex_unlock(&gate);
    for (unsigned i = 0; i < 15000 && all(&made) < 8; i++) {
        usleep(2000);
    }
    lod_readahead_destroy(ahead);
    cr_assert_geq(made.all, 8);
    for (unsigned i = 0; i < ITEMS / 2; i++) {
        cr_assert_eq(made.times[i][0], 0, "item %u was read already", i);
    }
}
