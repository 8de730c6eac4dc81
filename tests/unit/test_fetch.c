/* SPDX-License-Identifier: Apache-2.0 */
/* Frames asked for by readers: joined, remembered when bad, made once, forgotten with their chunk.
 */
#include "reader_fixture.h"

#include <pthread.h>

TestSuite(fetch, .init = setup, .fini = teardown);

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

Test(fetch, a_bad_frame_is_told_once_and_costs_its_neighbours_nothing)
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

Test(fetch, out_of_memory_and_interruption_are_not_remembered)
{
    struct lod_plan plan = {0};

    cr_assert_eq(lod_plan_add_stored(&plan, 1, 0, 10), 0);
    frame_error = -EINTR;
    cr_assert_eq(read_plan(&plan, item), -EINTR);
    frame_error = 0;
    cr_assert_eq(read_plan(&plan, item), 0);
}

Test(fetch, neighbours_are_one_request_but_for_the_first_of_all)
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

Test(fetch, bytes_of_a_fidelity_serve_the_next)
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

Test(fetch, a_long_random_epoch_stays_within_the_budget)
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

#define READERS 8
static void *read_in_turn(void *ctx)
{
    struct lod_plan plan = {0};

    (void)ctx;
    cr_assert_eq(lod_plan_add_stored(&plan, 1, 0, 3 * FRAME_BYTES), 0);
    for (uint32_t i = 0; i < 50; i++) {
        cr_assert_eq(read_plan(&plan, item_of(item.recd.first_item + i % 5)), 0);
    }
    return NULL;
}

Test(fetch, eight_readers_read_each_frame_once)
{
    pthread_t ids[READERS];

    for (unsigned i = 0; i < READERS; i++) {
        cr_assert_eq(pthread_create(&ids[i], NULL, read_in_turn, NULL), 0);
    }
    for (unsigned i = 0; i < READERS; i++) {
        pthread_join(ids[i], NULL);
    }
    cr_assert_eq(stats().store_bytes, 5ull * 3 * FRAME_BYTES);
}
