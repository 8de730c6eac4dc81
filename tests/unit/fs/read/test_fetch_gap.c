/* SPDX-License-Identifier: Apache-2.0 */
/* The gap between two frames of one read: a disk reads it too, memory never does. */
#include "frames/frames.h"
#include "reader_fixture.h"

#define MS 1000000ull

static struct lod_frames *frames;
static struct lod_byte_limit limit = {.bytes_max = 64 << 20};

static struct lod_item item_of(uint32_t number)
{
    struct lod_item of = item_in_record(number, 20, 1);

    of.recd.group_bytes[0] = 20 * segment_frames * FRAME_BYTES;
    return of;
}

/* Begins with a disk of 10 ms and 100 MB/s. There is no room for a prefix. */
static void begin(void)
{
    items_of = item_of;
    segment_frames = 3;
    store_bytes = 1ull << 40;
    bad_item = UINT32_MAX;
    items_end = 20;
    cr_assert_eq(lod_frames_create(NULL,
                                   &(struct lod_frames_options){.limit = &limit, .budget_bytes = 1},
                                   &frames),
                 0);
    for (unsigned i = 0; i < 32; i++) {
        lod_io_estimate_add(lod_frames_io_estimate(frames), i % 2 ? 4 << 20 : 1000,
                            (i % 2 ? 50 : 10) * MS);
    }
}

static void end(void)
{
    lod_frames_destroy(frames);
}

/* Returns how many frames come from the store for the first and the third one of an item. */
static uint64_t read_around_the_second(void)
{
    struct lod_wanted wanted[2] = {{.group = 1}, {.group = 1, .frame = 2}};
    const struct lod_item of = item_of(7);
    struct lod_frames_stats stats;

    cr_assert_eq(lod_frames_get(frames, &of, wanted, 2), 0);
    lod_blob_unref(&wanted[0].chunk->blob);
    lod_blob_unref(&wanted[1].chunk->blob);
    lod_frames_stats(frames, &stats);
    cr_assert_eq(stats.prefix_bytes, 0);
    return stats.scattered_bytes / FRAME_BYTES;
}

TestSuite(fetch_gap, .init = begin, .fini = end);

Test(fetch_gap, a_disk_reads_it_in_one_request)
{
    cr_assert_eq(read_around_the_second(), 3);
}

/* With 900 shuffled photographs of 1 KB, reading the gaps took 575 MB instead of 1.9. */
Test(fetch_gap, what_lies_in_the_page_cache_is_read_as_from_memory)
{
    end();
    shared_store = true;
    groups_in_memory = 1u << 1;
    begin();
    cr_assert_eq(read_around_the_second(), 2);
}

Test(fetch_gap, a_store_that_answers_as_memory_does_has_no_latency_any_more)
{
    for (unsigned i = 0; i < 16; i++) {
        lod_io_estimate_add(lod_frames_io_estimate(frames), 1000, 1000);
    }
    cr_assert_eq(read_around_the_second(), 2);
}
