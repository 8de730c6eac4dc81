/* SPDX-License-Identifier: Apache-2.0 */
/* The number of lines that pass in a flood. */
#include "log_limit.h"

#include <criterion/criterion.h>

#define SECOND 1000000000ull

static struct lod_log_limit limit;
static uint64_t left_out;

static bool passes(uint64_t object, uint64_t kind, uint64_t seconds)
{
    return lod_log_limit_pass(&limit, object, kind, seconds * SECOND, &left_out);
}

static void setup(void)
{
    lod_log_limit_init(&limit);
}

TestSuite(log_limit, .init = setup);

Test(log_limit, one_object_and_kind_get_one_line_a_minute)
{
    cr_assert(passes(1, 5, 100) && left_out == 0);
    for (uint64_t second = 100; second < 160; second++) {
        cr_assert_not(passes(1, 5, second));
    }
    cr_assert(passes(1, 5, 160));
    cr_assert_eq(left_out, 60, "and says how many did not");
    cr_assert_not(passes(1, 5, 161));
    cr_assert_eq(lod_log_limit_left_out(&limit), 1);
    cr_assert_eq(lod_log_limit_left_out(&limit), 0);
}

Test(log_limit, another_object_or_kind_gets_its_own_line)
{
    cr_assert(passes(1, 5, 100));
    cr_assert(passes(2, 5, 100));
    cr_assert(passes(1, 6, 100));
    cr_assert_not(passes(2, 5, 101));
}

Test(log_limit, all_objects_together_are_limited_too)
{
    unsigned passed = 0;

    for (uint64_t object = 0; object < 10000; object++) {
        passed += passes(object, 5, 100);
    }
    cr_assert_eq(passed, LOD_LOG_LIMIT_OBJECTS);
    cr_assert(passes(20000, 5, 160));
    cr_assert_eq(left_out, 10000 - LOD_LOG_LIMIT_OBJECTS);
}
