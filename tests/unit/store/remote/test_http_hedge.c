/* SPDX-License-Identifier: Apache-2.0 */
#include "http/http_hedge.h"

#include <criterion/criterion.h>

#include "clock.h"

#define MS 1000000ull

static struct lod_hedge hedge;

static void see(unsigned count, uint64_t ms)
{
    for (unsigned i = 0; i < count; i++) {
        lod_hedge_add_request(&hedge, false);
        lod_hedge_add_wait(&hedge, ms * MS);
    }
}

Test(http_hedge, says_nothing_before_16_answers)
{
    see(15, 100);
    cr_assert_eq(lod_hedge_delay_ns(&hedge), 0);
    cr_assert_not(lod_hedge_may_send(&hedge, 0));
    see(1, 100);
    cr_assert_eq(lod_hedge_delay_ns(&hedge), 200 * MS);
    cr_assert(lod_hedge_may_send(&hedge, 0));
}

Test(http_hedge, is_twice_the_95th_percentile)
{
    see(244, 100);
    see(12, 1500); /* 4.7 % of 256 */
    cr_assert_eq(lod_hedge_delay_ns(&hedge), 200 * MS);
    see(16, 1500); /* replace 16 of the others */
    cr_assert_eq(lod_hedge_delay_ns(&hedge), 3000 * MS);
}

Test(http_hedge, is_50_ms_at_least)
{
    see(64, 1);
    cr_assert_eq(lod_hedge_delay_ns(&hedge), 50 * MS);
}

Test(http_hedge, at_most_2_percent_are_hedges)
{
    see(256, 10);
    unsigned hedges = 0;
    for (unsigned i = 0; i < 2560; i++) { /* each is late */
        see(1, 10);
        if (lod_hedge_may_send(&hedge, 0)) {
            lod_hedge_add_request(&hedge, true);
            hedges++;
        }
    }
    cr_assert_geq(hedges, 45);
    cr_assert_leq(hedges, 2560 / 50 + 6, "%u of 2560", hedges);
}

Test(http_hedge, none_for_ten_seconds_after_slow_down)
{
    see(64, 10);
    lod_hedge_slow_down(&hedge, 5 * LOD_SECOND_NS);
    cr_assert_not(lod_hedge_may_send(&hedge, 14 * LOD_SECOND_NS));
    cr_assert(lod_hedge_may_send(&hedge, 15 * LOD_SECOND_NS));
}
