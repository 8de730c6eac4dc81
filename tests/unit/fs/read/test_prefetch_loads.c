/* SPDX-License-Identifier: Apache-2.0 */
/* Several loads in flight, of a store that does not answer for one record. */
#include <pthread.h>
#include <unistd.h>

#include "frames/frames.h"
#include "frames/prefetch.h"
#include "frames/prefetch_loads.h"
#include "frames/prefetch_threads.h"
#include "reader_fixture.h"

#define RECORDS 12u
#define ITEMS   20u
#define MS      1000000ull

static struct lod_frames *frames;
static struct lod_byte_limit limit = {.bytes_max = 64 << 20};

/* Records of ITEMS items of 2 groups of a frame each. */
static struct lod_item item_of(uint32_t number)
{
    struct lod_item of = item_in_record(number, ITEMS, 2);

    of.recd.group_bytes[0] = of.recd.group_bytes[1] = ITEMS * FRAME_BYTES;
    return of;
}

#define RECORD_BYTES (2ull * ITEMS * FRAME_BYTES)

/* Begins with a store as slow as a disk. */
static void begin_with_budget(unsigned loads, uint64_t budget_bytes)
{
    items_of = item_of;
    store_bytes = 2ull * RECORDS * ITEMS * FRAME_BYTES;
    segment_frames = 1;
    as_slow_as_a_disk = true;
    bad_item = UINT32_MAX;
    items_end = RECORDS * ITEMS;
    cr_assert_eq(lod_frames_create(NULL,
                                   &(struct lod_frames_options){.limit = &limit,
                                                                .budget_bytes = budget_bytes,
                                                                .threads = true,
                                                                .loads = loads,
                                                                .loads_max = 2 * loads},
                                   &frames),
                 0);
    for (unsigned i = 0; i < 32; i++) {
        lod_io_estimate_add(lod_frames_io_estimate(frames), i % 2 ? 4 << 20 : 1000,
                            (i % 2 ? 40 : 10) * MS);
    }
}

static void begin(unsigned loads)
{
    begin_with_budget(loads, 48 << 20);
}

static struct lod_frames_stats get(uint32_t number)
{
    struct lod_wanted wanted[2] = {{.group = 1}, {.group = 2}};
    struct lod_item of = item_of(number);
    struct lod_frames_stats stats;

    cr_assert_eq(lod_frames_get(frames, &of, wanted, 2), 0);
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(wanted[i].data[9], byte_of(&of, wanted[i].group, 9));
        lod_blob_unref(&wanted[i].chunk->blob);
    }
    lod_frames_stats(frames, &stats);
    return stats;
}

static void *get_one(void *ctx)
{
    get(*(uint32_t *)ctx);
    return NULL;
}

static void await(const atomic_uint *count, unsigned least)
{
    while (*count < least) {
        usleep(100);
    }
}

/* Begins a read of this item, whose record's loads stall. */
static pthread_t begin_stalled(uint32_t *number)
{
    pthread_t thread;

    stalled_record = *number / ITEMS;
    cr_assert_eq(pthread_create(&thread, NULL, get_one, number), 0);
    await(&loads_stalled, 1);
    return thread;
}

static void end_stalled(pthread_t thread)
{
    stalled_record = UINT32_MAX;
    pthread_join(thread, NULL);
}

Test(prefetch_loads, a_reader_waits_for_its_own_record_only, .timeout = 300)
{
    uint32_t number = 0;

    begin(4);
    const pthread_t thread = begin_stalled(&number);
    /* not in turn, so no next record is loaded ahead */
    for (uint32_t count = 1; count <= 3; count++) {
        const struct lod_frames_stats stats = get(3 * count * ITEMS);
        cr_assert_eq(stats.scattered_reads, 0, "its prefix was loaded beside the one that stalls");
        cr_assert_geq(stats.prefix_bytes, count * 2ull * ITEMS * FRAME_BYTES);
    }
    end_stalled(thread);
    lod_frames_destroy(frames);
}

Test(prefetch_loads, two_readers_of_a_record_load_it_once, .timeout = 300)
{
    uint32_t one = 0, two = 3;
    pthread_t other;

    begin(4);
    items_end = ITEMS; /* nothing is read ahead */
    const pthread_t thread = begin_stalled(&one);
    cr_assert_eq(pthread_create(&other, NULL, get_one, &two), 0);
    usleep(20000);
    end_stalled(thread);
    pthread_join(other, NULL);
    const struct lod_frames_stats stats = get(5);
    cr_assert_eq(stats.prefix_bytes, 2ull * ITEMS * FRAME_BYTES);
    cr_assert_eq(stats.scattered_reads, 0);
    lod_frames_destroy(frames);
}

Test(prefetch_loads, a_list_is_loaded_around_a_record_that_stalls, .timeout = 300)
{
    static const uint32_t list[] = {5, 0, 3, 2};
    const struct lod_ahead_request request = {.job = 1, .fidelity = 2, .count = 4, .records = list},
                                   touch = {.job = 1, .fidelity = 2, .at = 4};
    struct lod_ahead_answer answer = {0};

    begin(4);
    stalled_record = 0;
    cr_assert_eq(lod_frames_announce(frames, &request, &answer), 0);
    while (answer.bytes_missing != 2ull * ITEMS * FRAME_BYTES) {
        cr_assert_eq(lod_frames_announce(frames, &touch, &answer), 0);
    }
    cr_assert_eq(answer.ready, 1, "the first; the one behind it stalls");
    stalled_record = UINT32_MAX;
    while (answer.ready != 4) {
        cr_assert_eq(lod_frames_announce(frames, &touch, &answer), 0);
    }
    struct lod_frames_stats stats;
    lod_frames_stats(frames, &stats);
    cr_assert_eq(stats.prefix_bytes, 4 * 2ull * ITEMS * FRAME_BYTES, "each once");
    lod_frames_destroy(frames);
}

Test(prefetch_loads, no_thread_is_woken_if_the_next_record_is_loaded)
{
    const struct lod_groups both = {1, 2}, one = {1, 1};
    struct lod_fetch fetch = {.dataset = NULL};
    struct lod_prefetch prefetch;
    const struct lod_item first = item_of(0), last = item_of(RECORDS * ITEMS - 1);
    const struct lod_prefetch_options options = {.budget_bytes = 48 << 20, .loads = 1};

    items_of = item_of;
    cr_assert_eq(lod_prefetch_init(&prefetch, &fetch, &options), 0);
    lod_access_history_set_loaded(&prefetch.history, 0, both, 1);
    lod_prefetch_ahead(&prefetch, &first, both);
    cr_assert_eq(prefetch.hints, 1);
    lod_access_history_set_loaded(&prefetch.history, 1, one, 1);
    lod_prefetch_ahead(&prefetch, &first, both);
    cr_assert_eq(prefetch.hints, 2);
    lod_access_history_set_loaded(&prefetch.history, 1, both, 1);
    lod_prefetch_ahead(&prefetch, &first, both);
    cr_assert_eq(prefetch.hints, 2);
    lod_prefetch_ahead(&prefetch, &last, both);
    cr_assert_eq(prefetch.hints, 3);
    lod_access_history_set_loaded(&prefetch.history, last.recd.number, both, 1);
    lod_prefetch_ahead(&prefetch, &last, both);
    cr_assert_eq(prefetch.hints, 3);
    lod_prefetch_finish(&prefetch);
}

Test(prefetch_loads, records_behind_the_next_one_are_prefetched_up_to_a_quarter_of_the_budget)
{
    begin_with_budget(4, RECORDS * RECORD_BYTES);
    struct lod_frames_stats stats = get(0);
    for (unsigned ms = 0; ms < 5000 && stats.prefix_bytes < 5 * RECORD_BYTES; ms++) {
        usleep(1000);
        lod_frames_stats(frames, &stats);
    }
    cr_assert_eq(stats.prefix_bytes, 5 * RECORD_BYTES, "its own, the next, and three behind it");
    usleep(20000);
    lod_frames_stats(frames, &stats);
    cr_assert_eq(stats.prefix_bytes, 5 * RECORD_BYTES);
    lod_frames_destroy(frames);
}

static void expect_base(const struct lod_fetch *fetch, uint64_t budget_bytes, unsigned last)
{
    const struct lod_prefetch_options options = {.budget_bytes = budget_bytes, .loads = 1};
    struct lod_fetch own = *fetch;
    struct lod_prefetch prefetch;
    struct lod_prefetch_budget budget;
    struct lod_prefetch_order order;

    limit = (struct lod_byte_limit){.bytes_max = 64 << 20};
    cr_assert_eq(lod_frame_arena_create(&limit, NULL, NULL, &own.arena), 0);
    cr_assert_eq(lod_prefetch_init(&prefetch, &own, &options), 0);
    lod_prefetch_state(&prefetch, 0, (struct lod_groups){1, 2}, &budget, &order);
    cr_assert_eq(budget.base.last, last);
    lod_prefetch_finish(&prefetch);
    lod_frame_arena_destroy(own.arena);
}

/*
 * The entries of small frames need as much memory as the frames. Frames in the page cache have no
 * entries. An eighth of the frames' bytes is free for entries.
 */
Test(prefetch_loads, what_fits_counts_the_entries_of_frames)
{
    const uint64_t small = sizeof(struct lod_frame_entry), bytes = 2ull * RECORDS * ITEMS * small;

    store_bytes = bytes;
    expect_base(&(struct lod_fetch){.shared = false}, 2 * bytes - bytes / 8, 2);
    expect_base(&(struct lod_fetch){.shared = false}, 2 * bytes - bytes / 8 - 1, 0);
    expect_base(&(struct lod_fetch){.shared = true}, bytes, 2);
}

/* While all loads are in flight, a thread must sleep.
 * It must not poll for a time that has passed. */
Test(prefetch_loads, times_pass_while_all_loads_are_in_flight, .timeout = 120)
{
    struct lod_fetch fetch = {.dataset = NULL};
    struct lod_prefetch prefetch;
    uint64_t again = 1;

    items_of = item_of;
    cr_assert_eq(lod_prefetch_init(&prefetch, &fetch,
                                   &(struct lod_prefetch_options){
                                       .budget_bytes = 48 << 20, .threads = true, .loads = 1}),
                 0);
    cr_assert_eq(lod_prefetch_begin(&prefetch, 0), LOD_PREFETCH_MINE);
    prefetch.again_ns = again;
    lod_prefetch_wake(&prefetch);
    for (unsigned i = 0; again && i < 5000; i++) {
        usleep(1000);
        pthread_mutex_lock(&prefetch.lock);
        again = prefetch.again_ns;
        pthread_mutex_unlock(&prefetch.lock);
    }
    cr_assert_eq(again, 0);
    lod_prefetch_end(&prefetch, 0);
    lod_prefetch_finish(&prefetch);
}
