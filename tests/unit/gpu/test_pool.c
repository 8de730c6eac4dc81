/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>

#include "pool.h"

struct sum {
    atomic_ullong total;
    uint64_t fail_from;
};

static int add(void *ctx, uint64_t index)
{
    struct sum *sum = ctx;
    atomic_fetch_add(&sum->total, index + 1);
    return index >= sum->fail_from ? -(int)(index + 1) : 0;
}

Test(pool, every_job_runs_once_on_any_number_of_threads)
{
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct lod_pool *pool = NULL;
        cr_assert_eq(lod_pool_create(threads, &pool), 0);
        for (uint64_t count = 0; count < 100; count++) {
            struct sum sum = {.fail_from = UINT64_MAX};
            cr_assert_eq(lod_pool_each(pool, count, add, &sum), 0);
            cr_assert_eq(atomic_load(&sum.total), count * (count + 1) / 2);
        }
        lod_pool_destroy(pool);
    }
}

Test(pool, the_lowest_failure_is_returned_and_ends_the_loop)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct lod_pool *pool = NULL;
        cr_assert_eq(lod_pool_create(threads, &pool), 0);
        struct sum sum = {.fail_from = 5};
        cr_assert_eq(lod_pool_each(pool, 1000, add, &sum), -6);
        cr_assert_lt(atomic_load(&sum.total), 1000 * 1001 / 2);
        sum.fail_from = UINT64_MAX;
        cr_assert_eq(lod_pool_each(pool, 10, add, &sum), 0, "an error is of its own call only");
        lod_pool_destroy(pool);
    }
}

Test(pool, a_thread_count_out_of_range_is_refused)
{
    struct lod_pool *pool = NULL;
    cr_assert_eq(lod_pool_create(0, &pool), -EINVAL);
    cr_assert_eq(lod_pool_create(LOD_POOL_THREADS_MAX + 1, &pool), -EINVAL);
    cr_assert_null(lod_pool_destroy(NULL));
}
