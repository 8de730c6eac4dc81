/* SPDX-License-Identifier: Apache-2.0 */
#include "http/http_retry.h"

#include <criterion/criterion.h>

#include "clock.h"

#define MS 1000000ull

Test(http_retry, pauses_double_and_are_half_random)
{
    cr_assert_eq(lod_retry_pause_ns(0, 0, 0), 25 * MS);
    cr_assert_eq(lod_retry_pause_ns(0, 0, UINT32_MAX), 50 * MS);
    cr_assert_eq(lod_retry_pause_ns(3, 0, UINT32_MAX), 400 * MS);
    cr_assert_eq(lod_retry_pause_ns(1000, 0, UINT32_MAX), 5 * LOD_SECOND_NS);
}

Test(http_retry, retry_after_counts_up_to_ten_seconds)
{
    cr_assert_eq(lod_retry_pause_ns(0, 3, 0), 3 * LOD_SECOND_NS);
    cr_assert_eq(lod_retry_pause_ns(0, 3600, 0), 10 * LOD_SECOND_NS);
    cr_assert_gt(lod_retry_pause_ns(1000, 1, UINT32_MAX), 4 * LOD_SECOND_NS,
                 "a longer pause stays");
}

Test(http_retry, a_dead_store_is_not_stormed)
{
    struct lod_retry_budget budget;
    unsigned taken = 0;

    lod_retry_budget_init(&budget, 0);
    while (taken < 1000 && lod_retry_budget_take(&budget, LOD_SECOND_NS)) {
        taken++;
    }
    cr_assert_eq(taken, 20);
    for (unsigned i = 0; i < 100; i++) {
        lod_retry_budget_earn(&budget);
    }
    for (taken = 0; taken < 1000 && lod_retry_budget_take(&budget, LOD_SECOND_NS);) {
        taken++;
    }
    cr_assert_eq(taken, 10, "10 %% of the requests that were right");
    cr_assert(lod_retry_budget_take(&budget, 60 * LOD_SECOND_NS), "20 come back each minute");
}

Test(http_retry, what_cannot_help_is_not_tried_again)
{
    cr_assert_eq(lod_retry_max(LOD_RETRY_ANSWER, LOD_HTTP_DENIED), 0);
    cr_assert_eq(lod_retry_max(LOD_RETRY_ANSWER, LOD_HTTP_CHANGED), 0);
    cr_assert_eq(lod_retry_max(LOD_RETRY_ANSWER, LOD_HTTP_MISSING), 1);
    cr_assert_eq(lod_retry_max(LOD_RETRY_ANSWER, LOD_HTTP_MOVED), 1);
    cr_assert_eq(lod_retry_max(LOD_RETRY_CERTIFICATE, LOD_HTTP_RIGHT), 0);
    cr_assert_gt(lod_retry_max(LOD_RETRY_TRANSPORT, LOD_HTTP_RIGHT), 20);
}
