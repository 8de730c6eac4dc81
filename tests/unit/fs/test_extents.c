/* SPDX-License-Identifier: Apache-2.0 */
/* Extents of records, and the items of small codecs among them. */
#include <criterion/criterion.h>

#include "order/extents.h"

static struct lod_extents extents;

static void end(void)
{
    lod_extents_finish(&extents);
}

TestSuite(extents, .fini = end);

static void add(uint32_t number, uint32_t first, uint32_t items, bool split)
{
    struct lod_record_desc recd = {
        .number = number, .first_item = first, .items = items, .codec = LOD_CODEC_PCR};

    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        recd.group_bytes[g] = 1u << g;
    }
    cr_assert_eq(lod_extents_add(&extents, &recd, split), 0);
}

Test(extents, records_stand_together_until_they_are_split_or_have_a_gap)
{
    add(1, 0, 10, true);
    add(2, 10, 5, false);
    add(3, 15, 5, true);
    add(5, 25, 5, false);
    cr_assert_eq(extents.count, 3);
    cr_assert_eq(extents.at[0].records, 2);
    cr_assert_eq(extents.at[0].items, 15);
    cr_assert_eq(extents.at[0].bytes[0], 2);
    cr_assert_eq(extents.at[0].bytes[LOD_Q10 - 1], 2 * 1023);
    cr_assert_eq(extents.at[0].bytes[LOD_FULL - 1], 2 * 2047);
    cr_assert_eq(extents.at[0].bytes[LOD_ORIGINAL - 1], 2 * 4095);
    cr_assert_eq(lod_extents_find(&extents, 14), 0);
    cr_assert_eq(lod_extents_find(&extents, 15), 1);
    cr_assert_eq(lod_extents_find(&extents, 29), 2);
    cr_assert_eq(lod_extents_find(&extents, 22), UINT32_MAX);
    cr_assert_eq(lod_extents_find(&extents, 30), UINT32_MAX);
}

Test(extents, fidelities_without_groups_of_their_own_read_the_source_file)
{
    struct lod_record_desc recd = {
        .items = 1, .codec = LOD_CODEC_PCR, .group_bytes = {[0] = 10, [4] = 5, [11] = 100}};

    cr_assert_eq(lod_extents_add(&extents, &recd, true), 0);
    cr_assert_eq(extents.at[0].bytes[4], 15);
    cr_assert_eq(extents.at[0].bytes[5], 100);
    cr_assert_eq(extents.at[0].bytes[LOD_FULL - 1], 100);
    cr_assert_eq(extents.at[0].bytes[LOD_ORIGINAL - 1], 100);
}

Test(extents, levels_are_read_below_q10_and_the_exact_image_alone_from_there_on)
{
    struct lod_record_desc recd = {.items = 1,
                                   .codec = LOD_CODEC_L3,
                                   .group_bytes = {1, 2, 4, 8, 16, 32, 64, 1000, 100, [11] = 5000}};

    cr_assert_eq(lod_extents_add(&extents, &recd, true), 0);
    cr_expect_eq(extents.at[0].bytes[0], 1);
    cr_expect_eq(extents.at[0].bytes[4], 31);
    cr_expect_eq(extents.at[0].bytes[6], 127);
    cr_expect_eq(extents.at[0].bytes[8], 127);
    cr_expect_eq(extents.at[0].bytes[LOD_Q10 - 1], 1100);
    cr_expect_eq(extents.at[0].bytes[LOD_FULL - 1], 1100);
    cr_expect_eq(extents.at[0].bytes[LOD_ORIGINAL - 1], 6100);
    memset(recd.group_bytes, 0, 7 * sizeof(recd.group_bytes[0]));
    cr_assert_eq(lod_extents_add(&extents, &recd, true), 0);
    cr_expect_eq(extents.at[1].bytes[0], 1100);
}

/* Each small item belongs to one extent, and both functions agree which. */
static void check_small(uint32_t count)
{
    uint32_t from, to, next = 0;

    for (uint32_t e = 0; e < extents.count; e++) {
        lod_extents_small_of(&extents, e, &from, &to);
        cr_assert_eq(from, next, "extent %u of %u items", e, count);
        for (uint32_t i = from; i < to; i++) {
            cr_assert_eq(lod_extents_find(&extents, lod_extents_small_item(&extents, i)), e);
        }
        next = to;
    }
    cr_assert_eq(next, count);
}

Test(extents, small_items_are_spread_over_all_extents)
{
    for (uint32_t count = 1; count < 60; count++) {
        for (uint32_t i = 0; i < 7; i++) {
            add(i + 1, 10 * i, 10, true);
        }
        const struct lod_small_items first = {.first = 100, .count = count / 2},
                                     second = {.first = 500,
                                               .count = count - count / 2,
                                               .before = count / 2};
        cr_assert_eq(LOD_LIST_ADD(&extents.small, first), 0);
        cr_assert_eq(LOD_LIST_ADD(&extents.small, second), 0);
        extents.small_count = count;
        check_small(count);
        lod_extents_finish(&extents);
    }
}
