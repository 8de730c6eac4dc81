/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "pace.h"

#define US 1000ull
#define MS 1000000ull

Test(pace, a_disk_is_no_memory_and_memory_no_disk)
{
    struct lod_pace pace = {0};

    cr_assert(lod_pace_is_memory(&pace), "until something was waited for");
    for (unsigned i = 0; i < 16; i++) {
        lod_pace_add(&pace, 10000, 3 * US);
    }
    cr_assert(lod_pace_is_memory(&pace));
    for (unsigned i = 0; i < 16; i++) {
        lod_pace_add(&pace, 10000, 90 * US); /* flash */
    }
    cr_assert(!lod_pace_is_memory(&pace));
    for (unsigned i = 0; i < 16; i++) {
        lod_pace_add(&pace, 1 << 20, 300 * US);
    }
    cr_assert(lod_pace_is_memory(&pace));
}

Test(pace, a_preempted_thread_is_not_taken_for_a_disk)
{
    struct lod_pace pace = {0};

    for (unsigned i = 0; i < 64; i++) {
        lod_pace_add(&pace, 10000, i % 8 ? 3 * US : 4 * MS);
    }
    cr_assert(lod_pace_is_memory(&pace));
    cr_assert_lt(lod_pace_ns(&pace, 1, 0), 10 * US);
}

/* A hard disk: 10 ms to a place, then 150 MB/s. */
Test(pace, latency_and_bandwidth_are_told_apart)
{
    struct lod_pace pace = {0};

    for (unsigned i = 0; i < 40; i++) {
        uint64_t bytes = i % 2 ? 4 << 20 : 10000;
        lod_pace_add(&pace, bytes, 10 * MS + bytes * 1000 / 150);
    }
    uint64_t one = lod_pace_ns(&pace, 1, 0), large = lod_pace_ns(&pace, 1, 64 << 20);
    cr_assert(one > 7 * MS && one < 13 * MS, "%llu", (unsigned long long)one);
    cr_assert(large > 350 * MS && large < 600 * MS, "%llu", (unsigned long long)large);
    cr_assert_eq(lod_pace_gap(&pace), 256 << 10, "a gap is read over, up to a limit");
}

Test(pace, the_first_load_of_a_very_slow_store_is_small)
{
    struct lod_pace disk = {0}, far = {0}, slow = {0}, of_slow = {0};

    lod_pace_add(&disk, 4096, 10 * MS);
    cr_assert_eq(lod_pace_load(&disk), 5 << 20);
    lod_pace_add(&far, 4096, 400 * MS);
    cr_assert_eq(lod_pace_load(&far), 256 << 10);
    cr_assert(!lod_pace_adopt(&of_slow, &slow), "that is not known");
    lod_pace_add(&slow, 4096, 40 * MS);
    lod_pace_add(&slow, 1 << 20, 1000 * MS);
    cr_assert(lod_pace_adopt(&of_slow, &slow));
    cr_assert(!lod_pace_is_memory(&of_slow));
    cr_assert_lt(lod_pace_load(&of_slow), 1200 << 10);
}

Test(pace, no_request_makes_a_mean_absurd)
{
    struct lod_pace pace = {0};
    static const uint64_t bytes[] = {0, 1, 1 << 30}, ns[] = {0, 1, 3600ull * 1000 * MS};

    for (unsigned i = 0; i < 90; i++) {
        lod_pace_add(&pace, bytes[i % 3], ns[i / 3 % 3]);
        lod_pace_gap(&pace);
        lod_pace_ns(&pace, 11, 1 << 20);
    }
}
