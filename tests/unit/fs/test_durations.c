/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets, sums and shares. Threads that add at once lose nothing. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "durations.h"

static struct lod_durations durations;

static void setup(void)
{
    lod_durations_init(&durations);
}

TestSuite(durations, .init = setup);

Test(durations, bounds_ascend_and_equal_their_text)
{
    double last = 0;

    for (unsigned b = 0; b < LOD_DURATION_BOUNDS; b++) {
        double seconds = strtod(lod_duration_bound(b), NULL);
        struct lod_duration_sum sum;
        cr_assert_gt(seconds, last);
        last = seconds;
        lod_durations_init(&durations);
        lod_durations_add(&durations, 1, (uint64_t)(seconds * 1e9 + .5));
        lod_durations_sum(&durations, 1, &sum);
        cr_assert_eq(sum.counts[b], 1, "%s is in its own bucket", lod_duration_bound(b));
        cr_assert_float_eq(lod_duration_within(&sum, .5), seconds, 1e-12);
        lod_durations_add(&durations, 1, (uint64_t)(seconds * 1e9 + 1.5));
        lod_durations_sum(&durations, 1, &sum);
        cr_assert_eq(sum.counts[b + 1], 1, "what is longer is in the next one");
    }
    cr_assert_str_eq(lod_duration_bound(LOD_DURATION_BOUNDS), "+Inf");
}

Test(durations, without_requests_all_shares_are_zero)
{
    struct lod_duration_sum sum;

    lod_durations_sum(&durations, 0, &sum);
    cr_assert_eq(sum.count, 0);
    cr_assert_eq(sum.seconds, 0);
    cr_assert_eq(lod_duration_within(&sum, .99), 0);
}

Test(durations, a_sum_has_the_same_buckets)
{
    struct lod_duration_sum one = {.count = 0}, other;

    lod_duration_sum_add(&one, 1000);
    lod_duration_sum_add(&one, 1001);
    lod_duration_sum_add(&one, 9000000000);
    lod_durations_add(&durations, 1, 1000);
    lod_durations_add(&durations, 1, 1001);
    lod_durations_add(&durations, 1, 9000000000);
    lod_durations_sum(&durations, 1, &other);
    cr_assert_arr_eq(one.counts, other.counts, sizeof(one.counts));
    cr_assert_eq(one.count, 3);
    cr_assert_float_eq(one.seconds, other.seconds, 1e-9);
}

#define THREADS 4
#define ADDED   50000

static void *add(void *arg)
{
    for (unsigned i = 0; i < ADDED; i++) {
        lod_durations_add(arg, LOD_DURATION_KINDS - 1, 3000);
    }
    return NULL;
}

Test(durations, threads_lose_nothing)
{
    pthread_t threads[THREADS];
    struct lod_duration_sum sum;

    for (unsigned i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, add, &durations), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    lod_durations_sum(&durations, LOD_DURATION_KINDS - 1, &sum);
    cr_assert_eq(sum.count, THREADS * ADDED);
    cr_assert_eq(sum.counts[1], THREADS * ADDED);
    cr_assert_float_eq(sum.seconds, THREADS * ADDED * 3e-6, 1e-9);
    lod_durations_sum(&durations, 0, &sum);
    cr_assert_eq(sum.count, 0, "other kinds are apart");
}
