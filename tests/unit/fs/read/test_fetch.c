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
    wrong_reads_left = 1;
    cr_assert_eq(read_plan(&plan, item), 0);
    cr_assert_eq(stats().frames_bad, 1);
    cr_assert_eq(frames_failed, 0, "nothing to tell");
    cr_assert_eq(wrong_reads_left, 0);
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

/* An item of a record of many, with one frame in each group. */
static struct lod_item neighbour(uint32_t number)
{
    struct lod_item of = item;

    segment_frames = 1;
    of.recd.items = 1000;
    of.number = of.recd.first_item + number;
    return of;
}

/* Frames of 1,000 bytes. */
static void plan_groups(struct lod_plan *plan)
{
    lod_plan_begin(plan);
    frame_short = FRAME_BYTES - 1000;
    for (unsigned group = 1; group <= 3; group++) {
        cr_assert_eq(lod_plan_add_stored(plan, group, 0, 1000), 0);
    }
}

Test(fetch, neighbours_are_read_in_a_request_for_each_group)
{
    struct lod_item of = neighbour(1);
    struct lod_plan plan = {0};
    cr_assert_eq(lod_plan_add_stored(&plan, 1, 0, FRAME_BYTES), 0);
    cr_assert_eq(lod_plan_add_stored(&plan, 2, 0, FRAME_BYTES), 0);
    cr_assert_eq(read_plan(&plan, neighbour(0)), 0); /* measures the store */
    const uint64_t before = stats().store_reads;
    const unsigned checked = frames_read;
    cr_assert_eq(lod_reader_run(reader, &of, 4, 1, 2), 4);
    cr_assert_eq(stats().store_reads - before, 2);
    cr_assert_eq(frames_read, checked, "frames of a run are checked by their readers");
    for (uint32_t i = 1; i <= 4; i++) {
        cr_assert_eq(read_plan(&plan, neighbour(i)), 0);
    }
    cr_assert_eq(stats().store_reads - before, 2);
    cr_assert_eq(frames_read - checked, 4 * 2, "each of them once");
}

Test(fetch, a_run_ends_where_frames_are_in_memory)
{
    struct lod_plan plan;
    struct lod_item of;

    plan_groups(&plan);
    cr_assert_eq(read_plan(&plan, neighbour(0)), 0);
    cr_assert_eq(read_plan(&plan, neighbour(5)), 0);
    const uint64_t before = stats().store_bytes;
    of = neighbour(0);
    cr_assert_eq(lod_reader_run(reader, &of, 10, 1, 3), 1, "the first one is there");
    cr_assert_eq(stats().store_bytes, before);
    of = neighbour(1);
    cr_assert_eq(lod_reader_run(reader, &of, 10, 1, 3), 4);
    cr_assert_eq(stats().store_bytes - before, 4 * 3 * 1000);
}

Test(fetch, a_run_is_limited_in_bytes)
{
    struct lod_item of = neighbour(1);
    struct lod_plan plan;

    plan_groups(&plan);
    cr_assert_eq(read_plan(&plan, neighbour(0)), 0);
    frame_short = 0;
    const uint64_t before = stats().store_bytes;
    const uint32_t done = lod_reader_run(reader, &of, 900, 1, 3);
    cr_assert_gt(done, 1);
    cr_assert_leq(done * 3 * FRAME_BYTES, LOD_RUN_BYTES);
    cr_assert_leq(stats().store_bytes - before, LOD_RUN_BYTES);
    cr_assert_leq(stats().cache_bytes, stats().cache_bytes_max);
}

Test(fetch, a_run_stops_at_the_end_of_its_record)
{
    struct lod_item of = neighbour(1);
    struct lod_plan plan;

    plan_groups(&plan);
    cr_assert_eq(read_plan(&plan, neighbour(0)), 0);
    of.recd.items = 4;
    const uint64_t before = stats().store_bytes;
    cr_assert_eq(lod_reader_run(reader, &of, 100, 1, 3), 3);
    cr_assert_eq(stats().store_bytes - before, 3 * 3 * 1000);
}

Test(fetch, a_run_that_fails_is_left_to_the_readers)
{
    struct lod_plan plan;

    plan_groups(&plan);
    cr_assert_eq(read_plan(&plan, neighbour(0)), 0);
    struct lod_item of = neighbour(1);
    bad_item = of.number;
    (void)lod_reader_run(reader, &of, 8, 1, 3);
    cr_assert_eq(frames_failed, 0, "nobody has asked for them");
    cr_assert_eq(read_plan(&plan, of), -EIO);
    cr_assert_eq(read_plan(&plan, neighbour(2)), 0);
}

Test(fetch, a_bad_frame_of_a_run_fails_its_reader_alone)
{
    struct lod_plan plan, sound = {0};

    plan_groups(&plan);
    cr_assert_eq(lod_plan_add_stored(&sound, 1, 0, 1000), 0);
    cr_assert_eq(read_plan(&plan, neighbour(0)), 0);
    struct lod_item of = neighbour(1);
    bad_group = 2;
    cr_assert_eq(lod_reader_run(reader, &of, 8, 1, 3), 8);
    cr_assert_eq(frames_failed, 0);
    cr_assert_eq(read_plan(&plan, neighbour(3)), -EIO);
    cr_assert_eq(frames_failed, 1);
    cr_assert_eq(read_plan(&sound, neighbour(3)), 0);
}

Test(fetch, a_slow_store_is_not_read_by_runs)
{
    struct lod_plan plan;
    struct lod_item of = neighbour(1);

    plan_groups(&plan);
    cr_assert_eq(lod_reader_run(reader, &of, 8, 1, 3), 8, "it is not measured yet");
    cr_assert_eq(stats().store_reads, 0);
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
