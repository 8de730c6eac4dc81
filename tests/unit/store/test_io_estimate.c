/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "backend/io_estimate.h"

#define US 1000ull
#define MS 1000000ull

Test(io_estimate, disks_and_memory_are_distinguished)
{
    struct lod_io_estimate estimate = {0};

    cr_assert(lod_io_estimate_is_memory(&estimate), "until something was waited for");
    for (unsigned i = 0; i < 16; i++) {
        lod_io_estimate_add(&estimate, 10000, 3 * US);
    }
    cr_assert(lod_io_estimate_is_memory(&estimate));
    for (unsigned i = 0; i < 16; i++) {
        lod_io_estimate_add(&estimate, 10000, 90 * US); /* flash */
    }
    cr_assert(!lod_io_estimate_is_memory(&estimate));
    for (unsigned i = 0; i < 16; i++) {
        lod_io_estimate_add(&estimate, 1 << 20, 300 * US);
    }
    cr_assert(lod_io_estimate_is_memory(&estimate));
}

Test(io_estimate, a_preempted_thread_is_not_taken_for_a_disk)
{
    struct lod_io_estimate estimate = {0};

    for (unsigned i = 0; i < 64; i++) {
        lod_io_estimate_add(&estimate, 10000, i % 8 ? 3 * US : 4 * MS);
    }
    cr_assert(lod_io_estimate_is_memory(&estimate));
    cr_assert_lt(lod_io_estimate_ns(&estimate, 1, 0), 10 * US);
}

/* A hard disk: 10 ms to a place, then 150 MB/s. */
Test(io_estimate, latency_and_bandwidth_are_measured_separately)
{
    struct lod_io_estimate estimate = {0};

    for (unsigned i = 0; i < 40; i++) {
        uint64_t bytes = i % 2 ? 4 << 20 : 10000;
        lod_io_estimate_add(&estimate, bytes, 10 * MS + bytes * 1000 / 150);
    }
    uint64_t one = lod_io_estimate_ns(&estimate, 1, 0),
             large = lod_io_estimate_ns(&estimate, 1, 64 << 20);
    cr_assert(one > 7 * MS && one < 13 * MS, "%llu", (unsigned long long)one);
    cr_assert(large > 350 * MS && large < 600 * MS, "%llu", (unsigned long long)large);
    cr_assert_eq(lod_io_estimate_gap(&estimate), 256 << 10, "a gap is read over, up to a limit");
}

Test(io_estimate, a_first_byte_that_is_told_leaves_nothing_to_guess)
{
    struct lod_io_estimate estimate = {0};

    for (unsigned i = 0; i < 20;
         i++) { /* the loads take turns on the line, the small ones do not */
        const uint64_t bytes = i % 2 ? 5 << 20 : 10000;
        lod_io_estimate_add_timed(&estimate, bytes, 20 * MS,
                                  20 * MS + bytes * 1000 / (i % 2 ? 25 : 100));
    }
    cr_assert_eq(lod_io_estimate_latency(&estimate) / MS, 20);
    cr_assert_eq(lod_io_estimate_bandwidth(&estimate) / 1000000, 25);
    lod_io_estimate_set_together(&estimate, 100000000);
    cr_assert_eq(lod_io_estimate_bandwidth(&estimate), 100000000);
    cr_assert_eq(lod_io_estimate_load(&estimate) / 1000000, 25, "one load is one of them");
    cr_assert_eq(lod_io_estimate_ns(&estimate, 3, 10000000) / MS, 160, "one after the other");
    estimate.ranges = 8;
    cr_assert_eq(lod_io_estimate_ns(&estimate, 8, 10000000) / MS, 120);
    cr_assert_eq(lod_io_estimate_ns(&estimate, 9, 10000000) / MS, 140);
    lod_io_estimate_set_together(&estimate, 1);
    cr_assert_eq(lod_io_estimate_bandwidth(&estimate) / 1000000, 25, "all are not slower than one");
}

Test(io_estimate, the_first_load_of_a_very_slow_store_is_small)
{
    struct lod_io_estimate disk = {0}, far = {0}, slow = {0}, of_slow = {0};

    lod_io_estimate_add(&disk, 4096, 10 * MS);
    cr_assert_eq(lod_io_estimate_load(&disk), 5 << 20);
    lod_io_estimate_add(&far, 4096, 400 * MS);
    cr_assert_eq(lod_io_estimate_load(&far), 256 << 10);
    cr_assert(!lod_io_estimate_adopt(&of_slow, &slow), "that is not known");
    lod_io_estimate_add(&slow, 4096, 40 * MS);
    lod_io_estimate_add(&slow, 1 << 20, 1000 * MS);
    cr_assert(lod_io_estimate_adopt(&of_slow, &slow));
    cr_assert(!lod_io_estimate_is_memory(&of_slow));
    cr_assert_lt(lod_io_estimate_load(&of_slow), 1200 << 10);
}

Test(io_estimate, no_single_request_makes_a_mean_absurd)
{
    struct lod_io_estimate estimate = {0};
    static const uint64_t bytes[] = {0, 1, 1 << 30}, ns[] = {0, 1, 3600ull * 1000 * MS};

    for (unsigned i = 0; i < 90; i++) {
        lod_io_estimate_add(&estimate, bytes[i % 3], ns[i / 3 % 3]);
        lod_io_estimate_gap(&estimate);
        lod_io_estimate_ns(&estimate, 11, 1 << 20);
    }
}
