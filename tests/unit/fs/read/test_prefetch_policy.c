/* SPDX-License-Identifier: Apache-2.0 */
/* Loads of prefixes, over a store whose speed the test sets before each read. */
#include <unistd.h>

#include "frames/frame_parts.h"
#include "frames/frames.h"
#include "reader_fixture.h"

#define RECORDS 12u
#define ITEMS   20u
#define MS      1000000ull

static struct lod_frames *frames;
static struct lod_byte_limit limit;

static struct lod_item item_of(uint32_t number)
{
    struct lod_item of = item_in_record(number, ITEMS, 2);

    /* Each group is one frame; the rest of a segment is empty. */
    of.recd.group_bytes[0] = of.recd.group_bytes[1] = ITEMS * FRAME_BYTES;
    return of;
}

static void begin(size_t cache_bytes, uint64_t all)
{
    items_of = item_of;
    limit = (struct lod_byte_limit){.bytes_max = cache_bytes};
    store_bytes = all;
    segment_frames = 1;
    bad_item = UINT32_MAX;
    items_end = RECORDS * ITEMS;
    cr_assert_eq(lod_frames_create(
                     NULL,
                     &(struct lod_frames_options){
                         .limit = &limit, .budget_bytes = limit.bytes_max / 4 * 3, .threads = true},
                     &frames),
                 0);
}

/* Sets the estimate to that of a disk, however long the simulated store took. */
static void slow_down(void)
{
    for (unsigned i = 0; i < 32; i++) {
        lod_io_estimate_add(lod_frames_io_estimate(frames), i % 2 ? 4 << 20 : 1000,
                            (i % 2 ? 40 : 10) * MS);
    }
}

/* Sets the estimate to that of a fast store. */
static void quicken(void)
{
    for (unsigned i = 0; i < 32; i++) {
        lod_io_estimate_add(lod_frames_io_estimate(frames), i % 2 ? 4 << 20 : 1000,
                            i % 2 ? 40 * MS : MS / 5);
    }
}

static struct lod_frames_stats get_now(uint32_t number, unsigned groups)
{
    struct lod_wanted wanted[2] = {{.group = 1}, {.group = 2}};
    struct lod_item of = item_of(number);
    struct lod_frames_stats stats;

    cr_assert_eq(lod_frames_get(frames, &of, wanted, groups), 0);
    for (unsigned i = 0; i < groups; i++) {
        cr_assert_eq(wanted[i].data[9], byte_of(&of, wanted[i].group, 9));
        lod_blob_unref(&wanted[i].chunk->blob);
    }
    lod_frames_stats(frames, &stats);
    return stats;
}

static struct lod_frames_stats get(uint32_t number, unsigned groups)
{
    slow_down();
    return get_now(number, groups);
}

static uint32_t shuffled(uint32_t i)
{
    return i * 2654435761u % (ITEMS * RECORDS);
}

Test(prefetch_policy, if_all_prefixes_fit_every_order_loads_each_once)
{
    struct lod_frames_stats stats;

    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    for (uint32_t i = 0; i < ITEMS * RECORDS; i++) {
        stats = get(shuffled(i), 2);
    }
    cr_assert_eq(stats.scattered_reads, 0);
    cr_assert_eq(stats.prefix_bytes, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    cr_assert_leq(stats.prefix_reads, 6 * RECORDS);
    cr_assert_eq(stats.outcomes[lod_outcome_of(0)], stats.prefix_reads, "all went well");
    cr_assert_eq(stats.advised_bytes, 0);
    lod_frames_destroy(frames);
}

/* Frames of a load are checked when they are first used. */
Test(prefetch_policy, a_wrong_frame_of_a_load_is_read_once_more)
{
    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    bad_group = 2;
    wrong_reads_left = 1;
    struct lod_frames_stats stats = get(0, 2);
    cr_assert_gt(stats.prefix_reads, 0);
    cr_assert_eq(stats.frames_bad, 1);
    cr_assert_eq(frames_failed, 0);
    lod_frames_destroy(frames);
}

Test(prefetch_policy, a_frame_of_a_load_that_stays_wrong_is_refused)
{
    struct lod_wanted wanted = {.group = 2};
    struct lod_item of = item_of(0);

    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    bad_group = 2;
    slow_down();
    cr_assert_eq(lod_frames_get(frames, &of, &wanted, 1), -EIO);
    cr_assert_null(wanted.chunk);
    cr_assert_eq(frames_failed, 1);
    lod_frames_destroy(frames);
}

/* Returns the requests after a first small one and a first load. */
static struct lod_frames_stats begin_slowly(void)
{
    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    items_end = 0; /* nothing is read ahead, not even the rest of the record */
    struct lod_frames_stats stats = get_now(0, 1);
    cr_assert_eq(stats.scattered_reads, 1);
    cr_assert_eq(stats.prefix_reads, 0);
    lod_io_estimate_add(lod_frames_io_estimate(frames), 1000, 10 * MS);
    stats = get_now(1, 2);
    lod_frames_destroy(frames);
    return stats;
}

/*
 * The simulated load takes no time, so no bandwidth is measured. If the thread waits for a
 * processor meanwhile, the load does take time and has more steps: such an attempt does not count.
 */
Test(prefetch_policy, the_first_request_is_small_and_the_first_load_is_one_step)
{
    struct lod_frames_stats stats = begin_slowly();

    for (unsigned attempts = 1; attempts < 100 && stats.prefix_reads != 1; attempts++) {
        stats = begin_slowly();
    }
    cr_assert_eq(stats.prefix_reads, 1);
    cr_assert_eq(stats.scattered_reads, 2);
}

Test(prefetch_policy, a_slow_index_makes_the_first_request_unnecessary)
{
    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    items_end = 0;
    lod_io_estimate_add(&index_pace, 4096, 10 * MS);
    struct lod_frames_stats stats = get_now(0, 1);
    cr_assert_eq(stats.scattered_reads, 0);
    cr_assert_eq(stats.prefix_reads, 1);
    lod_frames_destroy(frames);
}

Test(prefetch_policy, a_failed_load_measures_nothing_and_is_not_repeated)
{
    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    bad_item = 0;
    items_end = ITEMS;
    struct lod_wanted wanted = {.group = 1};
    struct lod_item of = item_of(0);
    lod_io_estimate_add(lod_frames_io_estimate(frames), 1000, 10 * MS);
    cr_assert_eq(lod_frames_get(frames, &of, &wanted, 1), -EIO);
    cr_assert_leq(reads, 3, "by a load, the frame alone, and once ahead");
    struct lod_frames_stats stats;
    lod_frames_stats(frames, &stats);
    cr_assert_eq(stats.prefix_reads, 0);
    cr_assert_geq(stats.outcomes[lod_outcome_of(-EIO)], 2);
    lod_frames_destroy(frames);
}

/* .2 ms and 100 MB/s: a record's first group takes 13 ms, one frame .9. */
Test(prefetch_policy, a_quick_prefix_that_fits_needs_no_second_reader)
{
    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    items_end = ITEMS;
    quicken();
    cr_assert_eq(get_now(3, 1).scattered_reads, 0);
    lod_frames_destroy(frames);
    begin(64 << 20, 1ull << 40);
    quicken();
    cr_assert_eq(get_now(3, 1).prefix_reads, 1, "the first records of a store that does not fit");
    lod_frames_destroy(frames);
}

Test(prefetch_policy, groups_of_a_lower_fidelity_are_not_read_again)
{
    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    items_end = ITEMS; /* no other record is prefetched */
    cr_assert_eq(get(0, 1).prefix_bytes, ITEMS * FRAME_BYTES);
    cr_assert_eq(get(1, 2).prefix_bytes, 2 * ITEMS * FRAME_BYTES);
    cr_assert_eq(get(4, 2).prefix_bytes, 2 * ITEMS * FRAME_BYTES);
    lod_frames_destroy(frames);
}

Test(prefetch_policy, if_not_all_prefixes_fit_some_are_kept)
{
    struct lod_frames_stats stats;
    const uint64_t all = 2ull * RECORDS * ITEMS * FRAME_BYTES;
    const uint64_t pass_bytes = ITEMS * RECORDS * 2ull * FRAME_BYTES;
    uint64_t before = 0;

    begin(16 << 20, all);
    for (unsigned pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < ITEMS * RECORDS; i++) {
            stats = get(shuffled(i), 2);
            cr_assert_leq(atomic_load(&limit.bytes), limit.bytes_max);
        }
        uint64_t bytes = stats.prefix_bytes + stats.scattered_bytes;
        cr_assert_leq(bytes - before, pass_bytes, "no pass reads more than frame by frame");
        cr_assert(!pass || bytes - before < pass_bytes * 3 / 4, "pass %u: %llu", pass,
                  (unsigned long long)(bytes - before));
        before = bytes;
    }
    cr_assert(stats.advised_bytes >= all && stats.advised_bytes < all * 3 / 2);
    lod_frames_destroy(frames);
}

Test(prefetch_policy, in_record_order_each_record_is_read_once)
{
    struct lod_frames_stats stats;
    const uint64_t all = 2ull * RECORDS * ITEMS * FRAME_BYTES;

    begin(22 << 20, all);
    for (uint32_t i = 0; i < ITEMS * RECORDS; i++) {
        stats = get(i, 2);
    }
    cr_assert_eq(stats.scattered_bytes + stats.prefix_bytes, all, "%llu + %llu of %llu",
                 (unsigned long long)stats.scattered_bytes, (unsigned long long)stats.prefix_bytes,
                 (unsigned long long)all);
    cr_assert_gt(stats.prefix_bytes, all / 10 * 9);
    cr_assert_eq(stats.advised_bytes, 0);
    lod_frames_destroy(frames);
}

Test(prefetch_policy, a_damaged_frame_of_a_prefix_is_one_frame)
{
    struct lod_wanted wanted[2] = {{.group = 1}, {.group = 2}};
    struct lod_item of = item_of(3);

    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    get(0, 2);
    bad_group = 2;
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(lod_frames_get(frames, &of, wanted, 2), -EIO);
        cr_assert_null(wanted[0].chunk);
    }
    cr_assert_eq(frames_failed, 1);
    cr_assert_eq(lod_frames_get(frames, &of, wanted, 1), 0);
    lod_blob_unref(&wanted[0].chunk->blob);
    lod_frames_destroy(frames);
}

Test(prefetch_policy, moving_to_the_next_record_prefetches_the_one_after_it)
{
    const uint64_t record = 2ull * ITEMS * FRAME_BYTES, gaps = 8 * FRAME_BYTES;
    struct lod_frames_stats stats = {0};

    begin(64 << 20, 1ull << 40);
    items_end = 3 * ITEMS;
    for (unsigned i = 0; stats.prefix_bytes + stats.scattered_bytes < 3 * record && i < 5000; i++) {
        get(i % ITEMS, 2);
        stats = get(ITEMS + i % ITEMS, 2);
        usleep(1000);
    }
    cr_assert_geq(stats.prefix_bytes + stats.scattered_bytes, 3 * record, "the third is read too");
    stats = get(2 * ITEMS + 3, 1);
    cr_assert_leq(stats.prefix_bytes + stats.scattered_bytes, 3 * record + gaps, "and not again");
    lod_frames_destroy(frames);
}

/* A read of made bytes asks for no frame at first, and then for the frames of its inputs. */
static struct lod_frames_stats get_made(uint32_t number)
{
    const struct lod_plan none = {.count = 0};
    struct lod_frame_parts parts;
    struct lod_item of = item_of(number);

    cr_assert_eq(lod_frame_parts_get(frames, &of, &none, &parts), 0);
    return get(number, 2);
}

Test(prefetch_policy, a_read_without_frames_hides_no_move, .timeout = 300)
{
    const uint64_t record = 2ull * ITEMS * FRAME_BYTES;
    struct lod_frames_stats stats = {0};

    begin(64 << 20, 1ull << 40);
    items_end = 2 * ITEMS; /* the third is not read ahead until the second is there */
    for (unsigned i = 0; stats.prefix_bytes + stats.scattered_bytes < 2 * record && i < 5000; i++) {
        get(i % ITEMS, 2);
        stats = get(ITEMS + i % ITEMS, 2);
        usleep(1000);
    }
    items_end = 3 * ITEMS;
    for (unsigned i = 0; stats.prefix_bytes + stats.scattered_bytes < 3 * record && i < 5000; i++) {
        get_made(i % ITEMS);
        stats = get_made(ITEMS + i % ITEMS);
        usleep(1000);
    }
    cr_assert_geq(stats.prefix_bytes + stats.scattered_bytes, 3 * record, "the third is read too");
    lod_frames_destroy(frames);
}

Test(prefetch_policy, a_prefix_that_the_kernel_has_evicted_in_part_is_loaded_again, .timeout = 300)
{
    shared_store = true;
    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    items_end = ITEMS; /* nothing is read ahead */
    uint64_t before = get(0, 1).prefix_reads;
    cr_assert_gt(before, 0);
    cr_assert_eq(groups_in_memory, 1u << 1);
    groups_in_memory = 1u << 2; /* group 1 is evicted, and another program has read group 2 */
    cr_assert_gt(get(1, 2).prefix_reads, before);
    cr_assert(groups_in_memory & 1u << 1);
    lod_frames_destroy(frames);
}

Test(prefetch_policy, readers_of_the_last_group_load_that_group_alone_and_once, .timeout = 300)
{
    struct lod_item of;
    struct lod_frames_stats stats = {0};
    uint64_t first = 0;

    shared_store = true;
    begin(64 << 20, 2ull * RECORDS * ITEMS * FRAME_BYTES);
    items_end = ITEMS;
    for (uint32_t i = 0; i < ITEMS; i++) {
        struct lod_wanted wanted = {.group = 2};
        slow_down();
        of = item_of(i);
        cr_assert_eq(lod_frames_get(frames, &of, &wanted, 1), 0);
        lod_blob_unref(&wanted.chunk->blob);
        lod_frames_stats(frames, &stats);
        first = i == 0 ? stats.prefix_reads : first;
    }
    cr_assert_eq(groups_in_memory, 1u << 2);
    cr_assert_gt(first, 0);
    cr_assert_eq(stats.prefix_reads, first);
    lod_frames_destroy(frames);
}

/* The cache has no room for a prefix, so without a local copy it would not be loaded. */
static struct lod_frames_stats first_miss_with(uint64_t budget, uint64_t copied)
{
    copy_kept = true;
    copy_room = budget;
    copied_to = copied;
    begin(16 << 20, 1ull << 40);
    items_end = 0; /* nothing is read ahead */
    for (unsigned i = 0; i < 32; i++) {
        lod_io_estimate_add(lod_frames_io_estimate(frames), i % 2 ? 4 << 20 : 1000,
                            (i % 2 ? 40 : 10) * MS);
    }
    limit.bytes_max = 1 << 20;
    lod_frames_set_budget(frames, 1);
    const struct lod_frames_stats stats = get_now(3, 1);
    lod_frames_destroy(frames);
    return stats;
}

Test(prefetch_policy, a_copy_of_the_store_with_room_is_filled_by_loads)
{
    const uint64_t group = ITEMS * FRAME_BYTES, start = 1ull << GROUP_AT;

    cr_assert_eq(first_miss_with(0, start).prefix_reads, 0, "it is full");
    cr_assert_eq(offered_bytes, 0);
    cr_assert_eq(first_miss_with(4096, start).prefix_reads, 0, "it is almost full");
    cr_assert_eq(first_miss_with(group - 1, start).prefix_bytes, group, "it takes a part");
    offered_bytes = 0;
    cr_assert_eq(first_miss_with(group, start).prefix_bytes, group);
    cr_assert_eq(offered_bytes, group);
}

Test(prefetch_policy, frames_of_a_copy_are_read_alone)
{
    const struct lod_frames_stats stats = first_miss_with(1ull << 40, UINT64_MAX);

    cr_assert_eq(stats.prefix_reads, 0);
    cr_assert_eq(stats.scattered_reads, 1);
}
