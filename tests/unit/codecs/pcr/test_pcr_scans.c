/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that makers receive the same JPEG that a mount shows. */
#include <criterion/criterion.h>

#include "pcr/pcr_row.h"
#include "pcr/pcr_scans.h"

static void make_row(uint8_t row[LOD_ROW_BYTES])
{
    memset(row, 0, LOD_ROW_BYTES);
    row[0] = LOD_ITEM_NO_ORIGINAL | LOD_ITEM_ORIENT;
    row[LOD_PCR_SHAPE] = 1;
    row[LOD_PCR_APP_SPLIT] = 20;
    lod_put_le16(row + LOD_PCR_WIDTH, 64);
    lod_put_le16(row + LOD_PCR_HEIGHT, 48);
    lod_put_le32(row + LOD_PCR_SOURCE, 5000);
    for (uint32_t g = 1; g <= LOD_PCR_GROUP_APP; g++) {
        lod_put_le32(row + LOD_PCR_GROUPS + 4 * (g - 1), 100 * g);
    }
}

Test(pcr_scans, are_the_pieces_of_the_codecs_own_plan)
{
    uint8_t row[LOD_ROW_BYTES];

    make_row(row);
    cr_assert(lod_pcr_row_is_sound(row));
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        struct lod_plan shown, given;
        lod_plan_begin(&given);
        cr_assert_eq(lod_pcr_scans_plan(row, (enum lod_fidelity)f, &given), 0);
        cr_assert_eq(
            lod_codec_plan(&lod_codec_pcr, row, LOD_FORMAT_TREE, (enum lod_fidelity)f, &shown), 0);
        cr_assert_eq(given.bytes, shown.bytes);
        cr_assert_eq(given.count, shown.count);
        for (unsigned i = 0; i < given.count; i++) {
            cr_assert_eq(given.pieces[i].group, shown.pieces[i].group, "q%u piece %u", f, i);
            cr_assert_eq(given.pieces[i].offset, shown.pieces[i].offset, "q%u piece %u", f, i);
            cr_assert_eq(given.pieces[i].bytes, shown.pieces[i].bytes, "q%u piece %u", f, i);
        }
    }
}

Test(pcr_scans, stand_behind_what_a_plan_has)
{
    uint8_t row[LOD_ROW_BYTES];
    struct lod_plan plan;

    make_row(row);
    lod_plan_begin(&plan);
    cr_assert_eq(lod_plan_add_text(&plan, "head", 4), 0);
    cr_assert_eq(lod_pcr_scans_plan(row, LOD_Q1, &plan), 0);
    cr_assert_eq(plan.bytes, 4 + 100 + 2);
    cr_assert_eq(plan.pieces[1].group, 1);
}
