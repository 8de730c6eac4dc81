/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that readers request: joined into requests, remembered when bad, fetched once, removed
 * with their chunk. */
#include "reader_fixture.h"

#include <pthread.h>

static struct lod_item item_of(uint32_t number);

static void begin(void)
{
    items_of = item_of;
    setup();
}

TestSuite(fetch, .init = begin, .fini = teardown);

static struct lod_item item_of(uint32_t number)
{
    struct lod_item other = item;

    other.number = number;
    return other;
}

static int read_plan(const struct lod_plan *plan, struct lod_item of)
{
    struct lod_read read;
    int error = lod_reader_read(reader, &of, plan, 0, plan->bytes, &read);

    if (!error) {
        lod_read_finish(&read);
    }
    return error;
}

static struct lod_reader_stats stats(void)
{
    struct lod_reader_stats got;

    lod_reader_stats(reader, &got);
    return got;
}

Test(fetch, a_bad_frame_is_reported_once_and_its_neighbours_are_served)
{
    struct lod_plan both = {0}, sound = {0};

    cr_assert_eq(lod_plan_add_stored(&both, 1, 0, FRAME_BYTES), 0);
    cr_assert_eq(lod_plan_add_stored(&sound, 1, 0, FRAME_BYTES), 0);
    cr_assert_eq(lod_plan_add_stored(&both, 2, 0, 10), 0);
    bad_group = 2;
    for (unsigned i = 0; i < 5; i++) {
        cr_assert_eq(read_plan(&both, item), -EIO);
    }
    cr_assert_eq(frames_failed, 1, "remembered");
    cr_assert_eq(stats().frames_bad, 1);
    cr_assert_eq(read_plan(&sound, item), 0);
    cr_assert_eq(frames_read, 2, "the sound one was kept");
}

Test(fetch, a_frame_that_is_right_at_the_second_read_is_served)
{
    struct lod_plan plan = {0};

    cr_assert_eq(lod_plan_add_stored(&plan, 2, 0, 10), 0);
    bad_group = 2;
    doubts_left = 1;
    cr_assert_eq(read_plan(&plan, item), 0);
    cr_assert_eq(stats().frames_bad, 1);
    cr_assert_eq(frames_failed, 0, "nothing to tell");
    cr_assert_eq(doubts_left, 0);
}

Test(fetch, requests_go_side_by_side_as_far_as_the_store_can)
{
    struct lod_plan plan = {0};

    for (unsigned group = 1; group <= 7; group++) {
        cr_assert_eq(lod_plan_add_stored(&plan, group, 0, 1000), 0);
    }
    cr_assert_eq(read_plan(&plan, item), 0);
    cr_assert_eq(most_ranges, 1);
    side_by_side = 3;
    lod_reader_destroy(reader);
    setup();
    cr_assert_eq(read_plan(&plan, item), 0);
    cr_assert_eq(most_ranges, 3);
    cr_assert_eq(stats().scattered_reads, 7);
    cr_assert_eq(stats().store_outcomes[LOD_OUTCOME_OK], 7);
}

Test(fetch, out_of_memory_and_interruption_are_not_remembered)
{
    struct lod_plan plan = {0};

    cr_assert_eq(lod_plan_add_stored(&plan, 1, 0, 10), 0);
    frame_error = -EINTR;
    cr_assert_eq(read_plan(&plan, item), -EINTR);
    frame_error = 0;
    cr_assert_eq(read_plan(&plan, item), 0);
}

Test(fetch, adjacent_frames_are_one_request_except_the_first_ever)
{
    struct lod_plan plan = {0};

    cr_assert_eq(lod_plan_add_stored(&plan, 1, 0, 5 * FRAME_BYTES), 0);
    cr_assert_eq(read_plan(&plan, item), 0);
    cr_assert_eq(reads, 2);
    cr_assert_eq(read_plan(&plan, item_of(item.number + 1)), 0);
    cr_assert_eq(reads, 3);
    cr_assert_eq(frames_read, 10);
    cr_assert_eq(stats().scattered_bytes, 10 * FRAME_BYTES);
}

Test(fetch, frames_of_a_fidelity_serve_the_next_one)
{
    struct lod_plan q1 = {0}, q3 = {0};

    cr_assert_eq(lod_plan_add_stored(&q1, 1, 0, 1000), 0);
    for (unsigned group = 1; group <= 3; group++) {
        cr_assert_eq(lod_plan_add_stored(&q3, group, 0, 1000), 0);
    }
    cr_assert_eq(read_plan(&q1, item), 0);
    uint64_t before = stats().store_bytes;
    cr_assert_eq(read_plan(&q3, item), 0);
    cr_assert_eq(stats().store_bytes - before, 2 * FRAME_BYTES);
    cr_assert_eq(read_plan(&q1, item), 0);
    cr_assert_eq(read_plan(&q3, item), 0);
    cr_assert_eq(stats().store_bytes - before, 2 * FRAME_BYTES);
}

Test(fetch, a_long_random_epoch_stays_within_the_limit)
{
    struct lod_plan plan = {0};
    uint64_t state = 1;

    cr_assert_eq(lod_plan_add_stored(&plan, 1, 0, 100000), 0);
    cr_assert_eq(lod_plan_add_stored(&plan, 2, 0, 10), 0);
    for (unsigned i = 0; i < 3000; i++) {
        struct lod_item of = item;
        state = state * 6364136223846793005u + 1442695040888963407u;
        of.recd.number = (uint32_t)(state >> 40) % 1000;
        cr_assert_eq(read_plan(&plan, of), 0);
        cr_assert_leq(stats().cache_bytes, stats().cache_bytes_max);
    }
    cr_assert_gt(stats().cache_evictions, 1000);
}

#define READERS     8
#define ITEMS       40
#define SHORT_BYTES 1024u

static pthread_barrier_t together;

static void *read_in_turn(void *ctx)
{
    struct lod_plan plan = {0};

    (void)ctx;
    cr_assert_eq(lod_plan_add_stored(&plan, 1, 0, 1000), 0);
    for (uint32_t i = 0; i < 2 * ITEMS; i++) {
        pthread_barrier_wait(&together);
        cr_assert_eq(read_plan(&plan, item_of(item.recd.first_item + i % ITEMS)), 0);
    }
    return NULL;
}

/*
 * Readers that miss an item together each take memory for it before one of them claims its frames.
 * Frames are short here, so that all of this fits RECENT chunks and nothing is evicted.
 */
Test(fetch, eight_readers_read_each_frame_once)
{
    const unsigned before = atomic_load(&frames_read);
    pthread_t ids[READERS];

    frame_short = FRAME_BYTES - SHORT_BYTES;
    open_us = 1000; /* all have missed the frame before one claims it */
    pthread_barrier_init(&together, NULL, READERS);
    for (unsigned i = 0; i < READERS; i++) {
        cr_assert_eq(pthread_create(&ids[i], NULL, read_in_turn, NULL), 0);
    }
    for (unsigned i = 0; i < READERS; i++) {
        pthread_join(ids[i], NULL);
    }
    cr_assert_eq(stats().cache_evictions, 0);
    cr_assert_eq(stats().store_bytes, (uint64_t)ITEMS * SHORT_BYTES);
    cr_assert_eq(atomic_load(&frames_read) - before, ITEMS);
    pthread_barrier_destroy(&together);
}
