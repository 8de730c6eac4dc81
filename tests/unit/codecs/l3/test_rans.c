/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "l3/patch/rans_model_write.h"
#include "l3/patch/rans.h"

static struct lod_rans_tables tables;

/* One class with one symbol, the escape: 1,024 + 1 is written as ten zeros and its eleven bits. */
static const uint8_t escapes_only[] = {1, 0x00, 0x04, 0x10};

static int take(const uint8_t *bytes, size_t count, unsigned planes)
{
    return lod_rans_tables_take((struct lod_span){.at = bytes, .bytes = count}, planes, &tables);
}

Test(rans, the_smallest_table)
{
    cr_assert_eq(take(escapes_only, sizeof(escapes_only), 3), 0);
    cr_assert_eq(tables.classes, 1);
    for (unsigned i = 0; i < LOD_RANS_TOTAL; i++) {
        uint32_t slot = tables.slot[0][i];
        cr_assert(slot & LOD_RANS_ESCAPE_BIT);
        cr_assert_eq(slot >> LOD_RANS_COUNT_SHIFT, LOD_RANS_TOTAL);
        cr_assert_eq(slot >> LOD_RANS_OFFSET_SHIFT & (LOD_RANS_TOTAL - 1), i);
    }
    cr_assert_eq(tables.class_of[2][127], 0);
}

Test(rans, no_bytes_are_no_classes)
{
    cr_assert_eq(take(escapes_only, 0, 1), 0);
    cr_assert_eq(tables.classes, 0);
}

Test(rans, tables_that_are_none_are_refused)
{
    static const struct {
        uint8_t bytes[4];
        size_t count;
        const char *what;
    } wrong[] = {
        {{0, 0x00, 0x04, 0x10}, 4, "no class"},
        {{9, 0x00, 0x04, 0x10}, 4, "nine classes"},
        {{2, 0x00, 0x04, 0x10}, 4, "the second class is missing"},
        {{1, 0x00, 0x04, 0x30}, 4, "2 more than 1,024"},
        {{1, 0x00, 0x04, 0x50}, 4, "a bit behind the last number"},
        {{1, 0x00, 0x04}, 3, "cut off"},
        {{1, 0x00, 0x00, 0x10}, 4, "a number of too many bits"},
        {{1, 0xff, 0xff, 0xff}, 4, "frequencies of 0"},
    };

    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        cr_assert_eq(take(wrong[i].bytes, wrong[i].count, 1), -EILSEQ, "%s", wrong[i].what);
    }
}

Test(rans, what_the_encoder_found_is_what_a_decoder_reads)
{
    static struct lod_small_counts counts;
    struct lod_small_model model;
    struct lod_buf bytes = {0};

    for (unsigned p = 0; p < 2; p++) {
        for (unsigned a = 0; a < LOD_RANS_ACTIVITIES; a++) {
            for (unsigned z = 0; z < 256; z++) {
                unsigned magnitude = z < 128 ? z : 256 - z;
                counts.count[p][a][z] = magnitude <= a / (p + 1) ? 1000 / (1 + magnitude) : 0;
            }
        }
    }
    cr_assert_eq(lod_small_model_make(&counts, 2, LOD_RANS_CLASSES, 8, &model), 0);
    cr_assert_eq(lod_small_model_put(&model, 2, &bytes), 0);
    cr_assert_eq(take(bytes.data, bytes.bytes, 2), 0);
    cr_assert_eq(tables.classes, LOD_RANS_CLASSES);
    for (unsigned p = 0; p < 2; p++) {
        cr_assert_eq(memcmp(tables.class_of[p], model.class_of[p], LOD_RANS_ACTIVITIES), 0);
    }
    cr_assert_gt(model.class_of[0][127], model.class_of[0][0]);
    for (unsigned k = 0; k < model.classes; k++) {
        for (unsigned symbol = 0; symbol < LOD_RANS_SYMBOLS; symbol++) {
            for (unsigned i = 0; i < model.counts[k][symbol]; i++) {
                uint32_t slot = tables.slot[k][model.starts[k][symbol] + i];
                cr_assert_eq(slot & 255, symbol & 255);
                cr_assert_eq(slot >> LOD_RANS_COUNT_SHIFT, model.counts[k][symbol]);
            }
        }
        cr_assert_gt(model.counts[k][LOD_RANS_ESCAPE], 0, "anything can be coded");
    }
    lod_buf_finish(&bytes);
}
