/* SPDX-License-Identifier: Apache-2.0 */
#include "http/http_late.h"

#include <criterion/criterion.h>

#include "clock.h"

#define MS 1000000ull

static struct lod_late late;

static void see(unsigned count, uint64_t ms)
{
    for (unsigned i = 0; i < count; i++) {
        lod_late_add_request(&late, false);
        lod_late_add_wait(&late, ms * MS);
    }
}

Test(http_late, says_nothing_before_16_answers)
{
    see(15, 100);
    cr_assert_eq(lod_late_after_ns(&late), 0);
    cr_assert_not(lod_late_may_repeat(&late, 0));
    see(1, 100);
    cr_assert_eq(lod_late_after_ns(&late), 200 * MS);
    cr_assert(lod_late_may_repeat(&late, 0));
}

Test(http_late, is_twice_the_95th_percentile)
{
    see(244, 100);
    see(12, 1500); /* 4.7 % of 256 */
    cr_assert_eq(lod_late_after_ns(&late), 200 * MS);
    see(16, 1500); /* replace 16 of the others */
    cr_assert_eq(lod_late_after_ns(&late), 3000 * MS);
}

Test(http_late, is_50_ms_at_least)
{
    see(64, 1);
    cr_assert_eq(lod_late_after_ns(&late), 50 * MS);
}

Test(http_late, at_most_2_percent_are_asked_twice)
{
    see(256, 10);
    unsigned seconds = 0;
    for (unsigned i = 0; i < 2560; i++) { /* each is late */
        see(1, 10);
        if (lod_late_may_repeat(&late, 0)) {
            lod_late_add_request(&late, true);
            seconds++;
        }
    }
    cr_assert_geq(seconds, 45);
    cr_assert_leq(seconds, 2560 / 50 + 6, "%u of 2560", seconds);
}

Test(http_late, none_for_ten_seconds_after_slow_down)
{
    see(64, 10);
    lod_late_slow_down(&late, 5 * LOD_SECOND_NS);
    cr_assert_not(lod_late_may_repeat(&late, 14 * LOD_SECOND_NS));
    cr_assert(lod_late_may_repeat(&late, 15 * LOD_SECOND_NS));
}
