/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limit of the cache under pressure. The test fails if it does not shrink, or grows too soon.
 */
#include "mount/pressure.h"

#include <criterion/criterion.h>

Test(pressure, a_stall_halves_the_limit_down_to_the_minimum)
{
    cr_assert_eq(lod_pressure_next(64, 1000, 1000, 1, 0), 500);
    cr_assert_eq(lod_pressure_next(64, 1000, 100, 1, 0), 64);
    cr_assert_eq(lod_pressure_next(64, 1000, 64, 1, 0), 64);
}

Test(pressure, a_quiet_minute_doubles_the_limit_up_to_the_maximum)
{
    cr_assert_eq(lod_pressure_next(64, 1000, 100, 0, 59), 100);
    cr_assert_eq(lod_pressure_next(64, 1000, 100, 0, 60), 200);
    cr_assert_eq(lod_pressure_next(64, 1000, 700, 0, 60), 1000);
    cr_assert_eq(lod_pressure_next(64, 1000, 1000, 0, 600), 1000);
}

static void set(void *ctx, uint64_t bytes)
{
    *(uint64_t *)ctx = bytes;
}

Test(pressure, the_thread_starts_and_ends)
{
    struct lod_pressure *pressure = NULL;
    uint64_t limit = 0;

    cr_assert_eq(lod_pressure_start(1, 1000, set, &limit, &pressure), 0);
    cr_assert_null(lod_pressure_end(pressure));
    cr_assert_null(lod_pressure_end(NULL));
}
