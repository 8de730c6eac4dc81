/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>

#include "codec.h"
#include "pcr/pcr_row.h"

#define GROUP(g) (LOD_PCR_GROUPS + 4 * ((g)-1))

/*
 * The row of a photograph of 640 x 480 with groups of 1000, 2, 3, .. 10 bytes, APPn of 11 bytes,
 * and an orientation.
 */
static void make_row(uint8_t row[LOD_ROW_BYTES])
{
    memset(row, 0, LOD_ROW_BYTES);
    row[0] = LOD_ITEM_NO_ORIGINAL | LOD_ITEM_ORIENT;
    row[LOD_PCR_SHAPE] = 3;
    row[LOD_PCR_APP_SPLIT] = 20;
    lod_put_le16(row + LOD_PCR_WIDTH, 640);
    lod_put_le16(row + LOD_PCR_HEIGHT, 480);
    lod_put_le32(row + LOD_PCR_SOURCE, 5000);
    for (uint32_t g = 1; g <= 11; g++) {
        lod_put_le32(row + GROUP(g), g == 1 ? 1000 : g);
    }
}

static void make_whole_row(uint8_t row[LOD_ROW_BYTES])
{
    memset(row, 0, LOD_ROW_BYTES);
    row[0] = LOD_ITEM_WHOLE;
    lod_put_le32(row + LOD_PCR_SOURCE, 777);
    lod_put_le32(row + GROUP(12), 777);
}

static struct lod_plan must_plan(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity)
{
    struct lod_plan plan;
    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, row, LOD_FORMAT_TREE, fidelity, &plan), 0);
    return plan;
}

static void expect_piece(const struct lod_piece *piece, unsigned group, uint64_t offset,
                         uint64_t bytes)
{
    cr_assert_eq(piece->kind, LOD_PIECE_STORED);
    cr_assert_eq(piece->group, group);
    cr_assert_eq(piece->offset, offset);
    cr_assert_eq(piece->bytes, bytes);
}

static void expect_eoi(const struct lod_piece *piece)
{
    cr_assert_eq(piece->kind, LOD_PIECE_MEM);
    cr_assert_eq(piece->bytes, 2);
    cr_assert_eq(memcmp(piece->mem, "\xff\xd9", 2), 0);
}

Test(pcr, a_prefix_is_its_groups_and_the_end_marker)
{
    uint8_t row[LOD_ROW_BYTES];
    uint64_t bytes = 1000;

    make_row(row);
    for (unsigned k = 1; k <= 10; k++) {
        bytes += k > 1 ? k : 0;
        struct lod_plan plan = must_plan(row, (enum lod_fidelity)k);
        cr_assert_eq(plan.bytes, bytes + 2);
        cr_assert_eq(plan.count, k + 1);
        for (unsigned g = 1; g <= k; g++) {
            expect_piece(&plan.pieces[g - 1], g, 0, g == 1 ? 1000 : g);
        }
        expect_eoi(&plan.pieces[k]);
    }
}

Test(pcr, full_has_the_sources_segments_where_the_orientation_was)
{
    uint8_t row[LOD_ROW_BYTES];

    make_row(row);
    struct lod_plan plan = must_plan(row, LOD_FULL);
    cr_assert_eq(plan.count, 13);
    cr_assert_eq(plan.bytes, 1000 + 54 + 11 + 2 - 36);
    expect_piece(&plan.pieces[0], 1, 0, 20);
    expect_piece(&plan.pieces[1], 11, 0, 11);
    expect_piece(&plan.pieces[2], 1, 56, 944);
    for (unsigned g = 2; g <= 10; g++) {
        expect_piece(&plan.pieces[g + 1], g, 0, g);
    }
    expect_eoi(&plan.pieces[12]);

    row[0] = LOD_ITEM_NO_ORIGINAL;
    plan = must_plan(row, LOD_FULL);
    cr_assert_eq(plan.bytes, 1000 + 54 + 11 + 2);
    expect_piece(&plan.pieces[2], 1, 20, 980);
}

Test(pcr, an_empty_group_adds_nothing)
{
    uint8_t row[LOD_ROW_BYTES];

    make_row(row);
    lod_put_le32(row + GROUP(2), 0);
    cr_assert_eq(must_plan(row, 2).bytes, must_plan(row, 1).bytes);
    cr_assert_eq(must_plan(row, 2).count, 2);
}

/* The same photograph, its source of 5,000 bytes beside groups 1 .. top. */
static void make_kept_row(uint8_t row[LOD_ROW_BYTES], unsigned top)
{
    make_row(row);
    row[0] = LOD_ITEM_KEPT | LOD_ITEM_ORIENT;
    row[LOD_PCR_SHAPE] = (uint8_t)(3 | top << 4);
    for (unsigned g = top + 1; g <= 11; g++) {
        lod_put_le32(row + GROUP(g), 0);
    }
    lod_put_le32(row + GROUP(12), 5000);
}

Test(pcr, a_kept_source_is_one_piece_above_top)
{
    uint8_t row[LOD_ROW_BYTES];
    struct lod_plan plan;

    make_row(row);
    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, row, LOD_FORMAT_TREE, LOD_ORIGINAL, &plan),
                 -ENOENT);
    for (unsigned top = LOD_Q1; top <= LOD_Q10; top++) {
        make_kept_row(row, top);
        for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
            plan = must_plan(row, (enum lod_fidelity)f);
            if (f > top) {
                cr_assert_eq(plan.count, 1);
                expect_piece(&plan.pieces[0], 12, 0, 5000);
            } else {
                cr_assert_eq(plan.count, f + 1);
                expect_piece(&plan.pieces[f - 1], f, 0, f == 1 ? 1000 : f);
                expect_eoi(&plan.pieces[f]);
            }
        }
    }
}

Test(pcr, the_closing_scans_of_group_1_are_in_q1_alone)
{
    uint8_t row[LOD_ROW_BYTES];

    make_row(row);
    row[LOD_PCR_CLOSING] = 60;
    cr_assert_eq(must_plan(row, LOD_Q1).bytes, 1000 + 2);
    cr_assert_eq(must_plan(row, 2).bytes, 1000 - 60 + 2 + 2);
    expect_piece(&must_plan(row, 2).pieces[0], 1, 0, 940);
    struct lod_plan plan = must_plan(row, LOD_FULL);
    expect_piece(&plan.pieces[2], 1, 56, 1000 - 56 - 60);
    cr_assert_eq(plan.bytes, 1000 + 54 + 11 + 2 - 36 - 60);
}

Test(pcr, a_whole_file_is_whole_at_every_fidelity)
{
    uint8_t row[LOD_ROW_BYTES];
    uint64_t bytes[LOD_GROUPS_MAX];

    make_whole_row(row);
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        struct lod_plan plan = must_plan(row, (enum lod_fidelity)f);
        cr_assert_eq(plan.count, 1);
        expect_piece(&plan.pieces[0], 12, 0, 777);
    }
    cr_assert_eq(lod_codec_segments(&lod_codec_pcr, row, bytes), 0);
    cr_assert_eq(bytes[11], 777);
    cr_assert_eq(bytes[0] + bytes[10], 0);
}

Test(pcr, the_largest_row_does_not_overflow)
{
    uint8_t row[LOD_ROW_BYTES];

    make_row(row);
    for (unsigned g = 1; g <= 11; g++) {
        lod_put_le32(row + GROUP(g), UINT32_MAX);
    }
    cr_assert_eq(must_plan(row, LOD_FULL).bytes, 11ull * UINT32_MAX + 2 - 36);
}

/* Checks that both calls refuse the row and leave their results unwritten. */
static void expect_refused(const uint8_t row[LOD_ROW_BYTES], const char *what)
{
    struct lod_plan plan = {.bytes = 4711};
    uint64_t bytes[LOD_GROUPS_MAX] = {4711};
    enum lod_fidelity fidelity = LOD_Q1;

    cr_assert_eq(lod_codec_segments(&lod_codec_pcr, row, bytes), -EILSEQ, "%s", what);
    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, row, LOD_FORMAT_TREE, fidelity, &plan), -EILSEQ,
                 "%s", what);
    cr_assert_eq(plan.bytes, 4711);
    cr_assert_eq(bytes[0], 4711);
}

Test(pcr, rows_that_contradict_themselves_are_refused)
{
    const struct {
        const char *what;
        unsigned at, bytes;
        uint32_t value;
    } odd[] = {
        {"no components", LOD_PCR_SHAPE, 1, 0},
        {"5 components", LOD_PCR_SHAPE, 1, 5},
        {"a top without a kept source", LOD_PCR_SHAPE, 1, 3 | 5 << 4},
        {"no width", LOD_PCR_WIDTH, 2, 0},
        {"no height", LOD_PCR_HEIGHT, 2, 0},
        {"too wide", LOD_PCR_WIDTH, 2, 65501},
        {"too high", LOD_PCR_HEIGHT, 2, 65501},
        {"no source", LOD_PCR_SOURCE, 4, 0},
        {"no group 1", GROUP(1), 4, 0},
        {"a split before SOI's end", LOD_PCR_APP_SPLIT, 1, 1},
        {"no room for split and orientation", GROUP(1), 4, 20 + 36},
        {"no original, but a group 12", GROUP(12), 4, 5000},
        {"kept and no original", 0, 1, LOD_ITEM_KEPT | LOD_ITEM_NO_ORIGINAL},
        {"kept, but no group 12", 0, 1, LOD_ITEM_KEPT},
        {"rebuild data, not defined yet", 0, 1, 0},
        {"a shard", 0, 1, LOD_ITEM_NO_ORIGINAL | LOD_ITEM_SHARD},
        {"an undefined flag", 0, 1, LOD_ITEM_NO_ORIGINAL | LOD_ITEM_SHARD},
        {"whole with groups", 0, 1, LOD_ITEM_WHOLE},
    };
    uint8_t row[LOD_ROW_BYTES];

    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        make_row(row);
        lod_put_le(row + odd[i].at, odd[i].bytes, odd[i].value);
        expect_refused(row, odd[i].what);
    }
    make_row(row);
    lod_put_le32(row + GROUP(1), 20 + 36 + 255 + 1);
    row[LOD_PCR_CLOSING] = 255;
    must_plan(row, LOD_Q1);
    lod_put_le32(row + GROUP(1), 20 + 36 + 255);
    expect_refused(row, "nothing is left of group 1 but what others skip");
}

Test(pcr, kept_rows_that_contradict_themselves_are_refused)
{
    const struct {
        const char *what;
        unsigned at, bytes;
        uint32_t value;
    } odd[] = {
        {"no top", LOD_PCR_SHAPE, 1, 3},
        {"a top above q10", LOD_PCR_SHAPE, 1, 3 | 11 << 4},
        {"a group above top", LOD_PCR_SHAPE, 1, 3 | 4 << 4},
        {"a group above top", GROUP(6), 4, 1},
        {"segments beside those of the source", GROUP(11), 4, 1},
        {"a group 12 that is not the source", GROUP(12), 4, 4999},
        {"kept and no original", 0, 1, LOD_ITEM_KEPT | LOD_ITEM_NO_ORIGINAL},
    };
    uint8_t row[LOD_ROW_BYTES];

    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        make_kept_row(row, 5);
        must_plan(row, LOD_FULL);
        lod_put_le(row + odd[i].at, odd[i].bytes, odd[i].value);
        expect_refused(row, odd[i].what);
    }
}

Test(pcr, a_whole_row_holds_nothing_else)
{
    uint8_t row[LOD_ROW_BYTES];
    uint64_t bytes[LOD_GROUPS_MAX];

    for (unsigned at = 1; at < LOD_ROW_BYTES; at++) {
        make_whole_row(row);
        row[at] ^= 1;
        if (at >= 4 && at < 8) { /* own node */
            cr_assert_eq(lod_codec_segments(&lod_codec_pcr, row, bytes), 0);
        } else {
            expect_refused(row, "a bit in a whole row");
        }
    }
    const uint8_t flags[] = {LOD_ITEM_NO_ORIGINAL, LOD_ITEM_KEPT, LOD_ITEM_ORIENT, LOD_ITEM_SHARD};
    for (size_t i = 0; i < sizeof(flags); i++) {
        make_whole_row(row);
        row[0] |= flags[i];
        expect_refused(row, "a flag of a transcoded item");
    }
}

Test(pcr, other_formats_are_not_there)
{
    uint8_t row[LOD_ROW_BYTES];
    struct lod_plan plan;

    make_row(row);
    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, row, LOD_FORMAT_NATIVE, LOD_Q1, &plan), -ENOENT);
    cr_assert_eq(lod_codec_find(LOD_CODEC_PCR), &lod_codec_pcr);
    cr_assert_eq(lod_codec_pcr.frame_shift(0), 20);
}
