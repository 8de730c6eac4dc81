/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of records that jobs announce, before a local copy of the store. */
#include "ahead_fixture.h"

TestSuite(prefetch_copy, .fini = end);

Test(prefetch_copy, a_copy_of_the_store_gets_the_records_of_all_lists)
{
    const uint32_t list[] = {7, 3, 9};

    begin(100);
    listed_keys = 99;
    cr_assert_eq(announce(1, 2, 0, 3, 0, list), 0);
    cr_assert_eq(listed_keys, 99, "there is no copy");
    fetch.copies = true;
    cr_assert_eq(announce(2, 2, 0, 2, 0, list), 0);
    cr_assert_eq(listed_keys, 5);
    cr_assert_eq(listed_sum, 5029);
    cr_assert_eq(listed_bytes, 5 * copy_of_two());
    cr_assert_eq(listed_at[1], 1007, "jobs take turns");
    cr_assert_eq(announce(1, 2, 3, 0, 1, NULL), 0);
    cr_assert_eq(listed_sum, 4022, "7 is done, and the other job lists it");
    cr_assert_eq(announce(2, 2, 0, 0, 0, NULL), 0);
    cr_assert_eq(listed_sum, 2012);
    cr_assert_eq(announce(1, 2, 0, 0, 0, NULL), 0);
    cr_assert_eq(listed_keys, 0);
}

Test(prefetch_copy, a_copy_gets_first_what_the_shares_of_jobs_have_room_for)
{
    const uint32_t small[] = {0, 1, 2}, large[] = {5, 6, 7};

    begin(1);
    fetch.copies = true;
    lists_room = 7 * copy_of_two(); /* a half has room for three of two groups, or one of six */
    cr_assert_eq(announce(1, 2, 0, 3, 0, small), 0);
    cr_assert_eq(announce(2, 6, 0, 3, 0, large), 0);
    cr_assert_eq(listed_at[0] + listed_at[1], 1000 + 1005);
    cr_assert_eq(listed_at[2], 1001);
    cr_assert_eq(listed_at[3], 1002, "before the second large one");
    cr_assert_eq(listed_keys, 6);
}

/* Begins with room for two records in memory, and for this many in a local copy. */
static void begin_with_copy(unsigned records)
{
    begin(4);
    fetch.copies = true;
    copy_kept = true;
    copied_records = 0;
    copy_room = lists_room = records * copy_of_two();
}

/* Looks for the next record in the local copy, and loads it if necessary. */
static bool settle_next(void)
{
    const uint32_t record = next();
    enum lod_ahead_place place;
    const struct lod_groups groups = lod_prefetch_listed(&prefetch, record, &place);
    const struct lod_item of = item_of(record * ITEMS);

    if (record == NONE) {
        return false;
    }
    cr_assert_eq(place, LOD_AHEAD_COPY);
    if (!lod_prefetch_settle_copy(&prefetch, &of.recd, groups)) {
        copied_records |= 1u << record;
        end_load(record, 2, 0);
    }
    return true;
}

Test(prefetch_copy, what_memory_has_no_room_for_goes_into_a_larger_copy)
{
    const uint32_t list[] = {0, 1, 2, 3, 4};

    begin_with_copy(4);
    cr_assert_eq(announce(1, 2, 0, 5, 0, list), 0);
    cr_assert_geq(answer.bytes_room, 7 * GROUP, "the copy's, without the heads of records");
    cr_assert_leq(answer.bytes_room, 8 * GROUP);
    cr_assert_eq(load(2), 0);
    cr_assert_eq(load(2), 1);
    cr_assert(settle_next());
    cr_assert(settle_next());
    cr_assert_not(settle_next(), "the copy has no room for 4");
    cr_assert_eq(announce(1, 2, 5, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 4);
    cr_assert_eq(answer.bytes_missing, 2 * GROUP);
    lists_room = 0; /* its disk is gone */
    cr_assert_eq(announce(1, 2, 5, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 2);
    cr_assert_eq(answer.bytes_room, budget);
}

Test(prefetch_copy, a_record_that_the_copy_has_lost_is_loaded_again)
{
    const uint32_t list[] = {0, 1, 2};

    begin_with_copy(4);
    copied_records = 4; /* an earlier mount left it */
    cr_assert_eq(announce(1, 2, 0, 3, 0, list), 0);
    while (prefetch.held.count < 2) {
        load(2);
    }
    cr_assert(settle_next());
    cr_assert_not(settle_next());
    copied_records = 0;
    prefetch.check_ns = 0;
    cr_assert_eq(announce(1, 2, 3, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 3, "nobody has looked yet");
    cr_assert_eq(lod_prefetch_ahead_stats(&prefetch).ready, 3);
    while (next() < 2) {
        load(2); /* this test has no pins, so records in memory are checked too */
    }
    copy_room = 0;
    cr_assert(settle_next());
    cr_assert_eq(announce(1, 2, 3, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 2);
    copy_room = copy_of_two();
    cr_assert(settle_next());
    cr_assert_eq(announce(1, 2, 3, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 3);
}

Test(prefetch_copy, a_copy_without_room_is_looked_at_again_soon)
{
    const uint32_t list[] = {0, 1, 2};

    begin_with_copy(4);
    copy_room = 0;
    cr_assert_eq(announce(1, 2, 0, 3, 0, list), 0);
    while (prefetch.held.count < 2) {
        load(2);
    }
    cr_assert(settle_next());
    cr_assert_not(settle_next());
    cr_assert_neq(prefetch.again_ns, 0);
    prefetch.again_ns = 1;
    copy_room = copy_of_two();
    cr_assert(settle_next());
    cr_assert_eq(prefetch.again_ns, 0);
    cr_assert_eq(announce(1, 2, 3, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 3);
}
