/* SPDX-License-Identifier: Apache-2.0 */
/* The reader over units for which the cache is too small. */
#include "made_codec.h"

TestSuite(large_units, .init = begin, .fini = teardown);

#define LARGE (2ull * LOD_READ_BYTES_MAX + 5)
#define STEPS 16u

/* An item's file is one large unit, of which a step is read at a time. */
typedef void (*read_step)(struct lod_reader *from, uint32_t k, uint64_t step);

static uint64_t step_bytes(uint64_t step)
{
    return LARGE / STEPS + (step + 1 < STEPS ? 0 : LARGE % STEPS);
}

/* Compares some bytes of a step, of each page at least one. */
static void compare_step(const struct lod_item *made, uint64_t step, const uint8_t *bytes)
{
    for (uint64_t at = 0; at < step_bytes(step); at += 1021) {
        cr_assert_eq(bytes[at], made_byte(made, step * (LARGE / STEPS) + at),
                     "step %llu, byte %llu", (unsigned long long)step, (unsigned long long)at);
    }
}

static void answer_step(struct lod_reader *from, uint32_t k, uint64_t step)
{
    struct lod_item made = item_of(item.number + k);
    struct lod_plan plan = {0};
    struct lod_read read;
    const uint64_t at = step * (LARGE / STEPS);

    cr_assert_eq(lod_plan_add_made(&plan, 0, 0, LARGE), 0);
    cr_assert_eq(lod_reader_read(from, &made, &plan, at, step_bytes(step), &read), 0);
    compare_step(&made, step, read.iov[0].iov_base);
    lod_read_finish(&read);
}

static void copy_step(struct lod_reader *from, uint32_t k, uint64_t step)
{
    static uint8_t into[LARGE / STEPS + STEPS];
    struct lod_item made = item_of(item.number + k);
    struct lod_plan plan = {0};
    const uint64_t at = step * (LARGE / STEPS);

    cr_assert_eq(lod_plan_add_made(&plan, 0, 0, LARGE), 0);
    cr_assert_eq(lod_reader_read_into(from, &made, &plan, at, into, step_bytes(step)), 0);
    compare_step(&made, step, into);
}

/* Returns how many units are made when files are read, `at_once` files in turn. */
static unsigned made_in_turn(read_step by, struct lod_reader *from, uint32_t files,
                             uint32_t at_once)
{
    const unsigned before = units_made;

    for (uint32_t first = 0; first < files; first += at_once) {
        for (uint64_t step = 0; step < STEPS; step++) {
            for (uint32_t k = first; k < first + at_once; k++) {
                by(from, k, step);
            }
        }
    }
    return units_made - before;
}

/* The memory of makers has room for four of these units. */
Test(large_units, a_large_unit_is_made_once_for_all_reads_of_it_whatever_the_cache)
{
    static const uint64_t caches[] = {0, LARGE / 5, LARGE * 4 / 5, LARGE * 6 / 5, LARGE * 3};

    unit_bytes = made_cost = LARGE;
    for (unsigned i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
        struct lod_reader *small = reader_with(caches[i], 9 * LARGE);
        struct lod_reader_stats stats;
        cr_assert_eq(made_in_turn(answer_step, small, 1, 1), 1, "cache %u", i);
        cr_assert_eq(made_in_turn(answer_step, small, 12, 1), 12 - 1,
                     "one after the other, cache %u", i);
        cr_assert_eq(made_in_turn(answer_step, small, 12, 4), 12, "four in turn, cache %u", i);
        lod_reader_stats(small, &stats);
        cr_assert_eq(stats.made, 1 + 11 + 12);
        cr_assert_eq(stats.made_bytes, stats.made * LARGE);
        cr_assert_leq(stats.cache_bytes, caches[i]);
        lod_reader_destroy(small);
    }
}

Test(large_units, a_large_unit_that_was_copied_to_its_end_leaves_room_for_others)
{
    struct lod_reader *small = reader_with(LARGE / 5, 9 * LARGE);

    unit_bytes = made_cost = LARGE;
    cr_assert_eq(made_in_turn(copy_step, small, 12, 1), 12);
    cr_assert_eq(made_in_turn(copy_step, small, 12, 4), 12);
    lod_reader_destroy(small);
}

/*
 * Six readers share memory for four and a half units: each unit is made twice, for its first part
 * and for the rest.
 */
Test(large_units, more_large_units_than_there_is_room_for_are_made_once_for_each_part)
{
    struct lod_reader *small = reader_with(LARGE / 5, 9 * LARGE);

    unit_bytes = made_cost = LARGE;
    const unsigned made = made_in_turn(answer_step, small, 6, 6);
    cr_assert_leq(made, 3 * 6, "%u", made);
    lod_reader_destroy(small);
}

/*
 * Reads steps of six units in any order: a unit whose pages were freed must not serve reads of
 * them.
 */
Test(large_units, parts_of_large_units_have_right_bytes_in_any_order)
{
    struct lod_reader *small = reader_with(LARGE / 5, 9 * LARGE);
    unsigned seed = 1;

    unit_bytes = made_cost = LARGE;
    for (unsigned i = 0; i < 200; i++) {
        const uint32_t k = (uint32_t)rand_r(&seed) % 6;
        answer_step(small, k, (uint64_t)rand_r(&seed) % STEPS);
    }
    lod_reader_destroy(small);
}

/*
 * Reading stops after a quarter of each of 64 units. The last reads were of other units than the
 * first ones, so the first ones are evicted.
 */
Test(large_units, large_units_that_are_left_in_their_middle_make_room)
{
    struct lod_reader *small = reader_with(LARGE / 5, 9 * LARGE);

    unit_bytes = made_cost = LARGE;
    for (uint32_t k = 0; k < 64; k++) {
        for (uint64_t step = 0; step < STEPS / 4; step++) {
            answer_step(small, k, step);
        }
    }
    cr_assert_leq(units_made, 64 + 16, "%u", units_made);
    units_made = 0;
    made_in_turn(answer_step, small, 1, 1);
    cr_assert_leq(units_made, 4, "%u", units_made);
    lod_reader_destroy(small);
}

/* Without a cache each unit is a large one. A miss visits all that are kept. */
Test(large_units, few_units_are_kept_however_small_they_are)
{
    struct lod_reader *none = reader_with(0, 64 << 20);
    struct lod_reader_stats stats;
    struct lod_plan plan = {0};
    struct lod_read read;

    cr_assert_eq(lod_plan_add_made(&plan, 0, 0, UNIT), 0);
    for (uint32_t k = 0; k < 1000; k++) {
        struct lod_item made = item_of(item.number + k);
        cr_assert_eq(lod_reader_read(none, &made, &plan, 0, 1, &read), 0);
        lod_read_finish(&read);
    }
    lod_reader_stats(none, &stats);
    cr_assert_eq(stats.made, 1000);
    cr_assert_geq(stats.cache_evictions, 1000 - 512, "frames are not kept");
    lod_reader_destroy(none);
}

/* An answer that is still sent keeps its bytes, though others need the memory. */
Test(large_units, no_page_of_an_answer_is_given_back)
{
    struct lod_reader *small = reader_with(LARGE / 5, 9 * LARGE);
    struct lod_item made = item_of(item.number + 9);
    struct lod_plan plan = {0};
    struct lod_read read;

    unit_bytes = made_cost = LARGE;
    cr_assert_eq(lod_plan_add_made(&plan, 0, 0, LARGE), 0);
    cr_assert_eq(lod_reader_read(small, &made, &plan, 0, step_bytes(0), &read), 0);
    for (uint64_t step = STEPS / 2; step < STEPS - 1; step++) {
        answer_step(small, 9, step);
    }
    made_in_turn(answer_step, small, 6, 6);
    compare_step(&made, 0, read.iov[0].iov_base);
    lod_read_finish(&read);
    lod_reader_destroy(small);
}

/*
 * The memory is enough for one maker: a kept unit is evicted only when another maker needs its
 * memory.
 */
Test(large_units, a_maker_of_all_memory_gets_that_of_kept_units)
{
    struct lod_reader *small = reader_with(LARGE / 5, 2 * LARGE + LARGE / 2);

    unit_bytes = LARGE;
    made_cost = 2 * LARGE + LARGE / 2;
    cr_assert_eq(made_in_turn(answer_step, small, 3, 1), 3);
    cr_assert_eq(made_in_turn(answer_step, small, 2, 2), 2 * STEPS);
    lod_reader_destroy(small);
}
