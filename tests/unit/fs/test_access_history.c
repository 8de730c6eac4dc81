/* SPDX-License-Identifier: Apache-2.0 */
/* The history of reads and loads. The test fails if the window, the rows or the sums are wrong. */
#include <criterion/criterion.h>

#include "frames/access_history.h"

static struct lod_access_history history;

static void begin(void)
{
    cr_assert_eq(lod_access_history_init(&history, 4000), 0);
}

static void end(void)
{
    lod_access_history_finish(&history);
}

TestSuite(access_history, .init = begin, .fini = end);

static struct lod_access_summary sum(uint32_t record)
{
    struct lod_access_summary summary;

    lod_access_history_sum(&history, record, &summary);
    return summary;
}

Test(access_history, records_in_turn_and_at_random_are_distinguished)
{
    for (uint32_t i = 0; i < 3000; i++) {
        lod_access_history_read(&history, i / 100, i, 1000);
    }
    struct lod_prefetch_order in_turn = sum(30).order;
    cr_assert_eq(in_turn.asked, 0);
    cr_assert(in_turn.asked_mean > 80 && in_turn.asked_mean <= 100, "%u", in_turn.asked_mean);
    cr_assert_leq(in_turn.bytes, 2000, "records that are done with need not stay");
    cr_assert(in_turn.in_turn);
    for (uint32_t i = 0; i < 3000; i++) {
        lod_access_history_read(&history, i * 2654435761u >> 23, i, 1000);
    }
    struct lod_prefetch_order random = sum(7).order;
    cr_assert(!random.in_turn);
    cr_assert_gt(random.bytes, 400 * 1000);
}

Test(access_history, reads_of_one_item_count_once_with_the_longest_prefix)
{
    for (unsigned i = 0; i < 50; i++) {
        lod_access_history_read(&history, 5, 77, i == 20 ? 9000 : 1000);
    }
    cr_assert_eq(sum(5).order.asked, 1);
    cr_assert_eq(sum(5).order.bytes, 9000);
    cr_assert_eq(sum(6).order.asked_mean, 1);
}

Test(access_history, old_reads_are_forgotten)
{
    lod_access_history_read(&history, 1, 1, 1000);
    for (uint32_t i = 0; i <= LOD_WINDOW; i++) {
        lod_access_history_read(&history, 2, i, 10);
    }
    cr_assert_eq(sum(1).order.asked, 0);
    lod_access_history_read(&history, 1, 2, 500);
    cr_assert_eq(sum(1).order.asked, 1);
    cr_assert_eq(sum(1).order.bytes, 510);
}

Test(access_history, loads_count_until_no_reader_returns)
{
    lod_access_history_set_loaded(&history, 3, (struct lod_groups){1, 4},
                                  700); /* before its first read */
    lod_access_history_read(&history, 9, 1, 10);
    lod_access_history_set_loaded(&history, 9, (struct lod_groups){1, 2}, 50);
    lod_access_history_set_loaded(&history, 9, (struct lod_groups){1, 3}, 80);
    cr_assert_eq(lod_access_history_loaded(&history, 3).last, 4);
    cr_assert_eq(lod_access_history_loaded(&history, 9).last, 3);
    cr_assert_eq(lod_access_history_loaded(&history, 10).last, 0);
    cr_assert_eq(sum(0).loaded_bytes, 780);
    cr_assert_eq(sum(0).loaded_records, 2);
    for (unsigned i = 0; i < 100; i++) {
        lod_access_history_sweep(&history);
    }
    cr_assert_eq(sum(0).loaded_records, 2, "both are in use");
    for (uint32_t i = 0; i < 70000; i++) {
        lod_access_history_read(&history, 9, i, 10);
    }
    for (unsigned i = 0; i < 100; i++) {
        lod_access_history_sweep(&history);
    }
    cr_assert_eq(lod_access_history_loaded(&history, 3).last, 0);
    cr_assert_eq(lod_access_history_loaded(&history, 9).last, 3);
    cr_assert_eq(sum(0).loaded_bytes, 80);
}

Test(access_history, records_that_share_a_row_replace_each_other)
{
    lod_access_history_read(&history, 5, 1, 10);
    lod_access_history_set_loaded(&history, 5, (struct lod_groups){1, 2}, 50);
    lod_access_history_read(&history, 4005, 1, 10);
    cr_assert_eq(lod_access_history_loaded(&history, 5).last, 0);
    cr_assert_eq(sum(0).loaded_bytes, 0);
}

Test(access_history, the_kernel_is_asked_again_only_now_and_then)
{
    lod_access_history_read(&history, 3, 30, 1000);
    cr_assert(lod_access_history_may_ask_again(&history, 3, 3600ull * 1000 * 1000 * 1000));
    cr_assert(!lod_access_history_may_ask_again(&history, 3, 1));
    cr_assert(lod_access_history_may_ask(&history, 3, 1), "a look is something else");
    lod_access_history_read(&history, 4, 40, 1000);
    cr_assert(lod_access_history_may_ask_again(&history, 4, 0));
    cr_assert(lod_access_history_may_ask_again(&history, 4, 0), "its time is over");
    lod_access_history_postpone(&history, 4, 3600ull * 1000 * 1000 * 1000);
    cr_assert(!lod_access_history_may_ask_again(&history, 4, 0), "put off");
}
