/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "locality.h"

static struct lod_locality locality;

static struct lod_local sum(uint32_t record)
{
    struct lod_local local;

    lod_locality_sum(&locality, record, &local);
    return local;
}

Test(locality, records_in_turn_are_told_from_records_at_random)
{
    for (uint32_t i = 0; i < 3000; i++) {
        lod_locality_read(&locality, i / 100, i, 1000);
    }
    struct lod_local in_turn = sum(30);
    cr_assert(in_turn.records >= 10 && in_turn.records <= 12, "%u", in_turn.records);
    cr_assert_leq(in_turn.near, 2);
    cr_assert_eq(in_turn.asked, 0);
    cr_assert(in_turn.asked_mean > 80 && in_turn.asked_mean <= 100, "%u", in_turn.asked_mean);
    cr_assert_eq(in_turn.bytes, in_turn.near * 1000, "what is done with need not be held");
    cr_assert(in_turn.in_turn);
    for (uint32_t i = 0; i < 3000; i++) {
        lod_locality_read(&locality, i * 2654435761u >> 23, i, 1000);
    }
    struct lod_local random = sum(7);
    cr_assert_gt(random.records, 400);
    cr_assert_gt(random.near, 40);
    cr_assert(!random.in_turn);
    cr_assert_eq(random.bytes, random.records * 1000);
}

Test(locality, pieces_of_one_item_are_one_and_the_longest_prefix_counts)
{
    for (unsigned i = 0; i < 50; i++) {
        lod_locality_read(&locality, 5, 77, i == 20 ? 9000 : 1000);
    }
    cr_assert_eq(sum(5).asked, 1);
    cr_assert_eq(sum(5).bytes, 9000);
    cr_assert_eq(sum(6).asked_mean, 1);
}

Test(locality, what_is_long_past_is_forgotten)
{
    lod_locality_read(&locality, 1, 1, 1000);
    for (uint32_t i = 0; i <= LOD_WINDOW; i++) {
        lod_locality_read(&locality, 2, i, 10);
    }
    cr_assert_eq(sum(1).asked, 0);
    cr_assert_eq(sum(1).records, 1);
    lod_locality_read(&locality, 1, 2, 500);
    cr_assert_eq(sum(1).asked, 1);
    cr_assert_eq(sum(1).bytes, 510);
}
