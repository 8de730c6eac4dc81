/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "jpeg_same.h"

/* T.81 A.1.1: 67 x 45 pixels, 4:2:0; the third component is halved vertically only. */
static struct lod_jpeg_frame frame_420(void)
{
    struct lod_jpeg_frame frame = {.components = 3, .width = 67, .height = 45};

    frame.component[0] = (struct lod_jpeg_component){.id = 1, .h = 2, .v = 2};
    frame.component[1] = (struct lod_jpeg_component){.id = 2, .h = 1, .v = 1, .quant = 1};
    frame.component[2] = (struct lod_jpeg_component){.id = 3, .h = 2, .v = 1, .quant = 1};
    lod_jpeg_frame_measure(&frame);
    return frame;
}

Test(jpeg_planes, blocks_and_mcus_are_counted_up)
{
    const struct lod_jpeg_frame frame = frame_420();

    cr_assert(frame.mcus_wide == 5 && frame.mcus_high == 3);
    cr_assert(frame.component[0].blocks_wide == 9 && frame.component[0].blocks_high == 6);
    cr_assert(frame.component[1].blocks_wide == 5 && frame.component[1].blocks_high == 3);
    cr_assert(frame.component[2].blocks_wide == 9 && frame.component[2].blocks_high == 3);
    cr_assert_eq(lod_jpeg_frame_bytes(&frame), (10 * 6 + 5 * 3 + 10 * 3) * 128);
}

Test(jpeg_planes, the_largest_frame_does_not_wrap)
{
    struct lod_jpeg_frame frame = {.components = 4, .width = UINT16_MAX, .height = UINT16_MAX};

    for (unsigned c = 0; c < 4; c++) {
        frame.component[c].h = frame.component[c].v = 4;
    }
    lod_jpeg_frame_measure(&frame);
    cr_assert(frame.mcus_wide == 2048 && frame.component[3].blocks_wide == 8192);
    cr_assert_eq(lod_jpeg_frame_bytes(&frame), 4ull * 8192 * 8192 * 128);
}

Test(jpeg_planes, padding_is_no_difference_and_all_else_is)
{
    const struct lod_jpeg_frame frame = frame_420();
    struct lod_jpeg *a = NULL, *b = NULL;

    cr_assert_eq(lod_jpeg_create(&frame, &a), 0);
    cr_assert_eq(lod_jpeg_create(&frame, &b), 0);
    cr_assert_eq(jpeg_same(a, b), 0);
    lod_jpeg_row(b, 0, 5)[9][0] = 1; /* pixels 72 .. 79, past the image */
    cr_assert_eq(jpeg_same(a, b), 0);
    lod_jpeg_row(b, 0, 5)[8][63] = 1;
    cr_assert_eq(jpeg_same(a, b), -EBADMSG);
    lod_jpeg_row(b, 0, 5)[8][63] = 0;
    b->quant[1][7] = 1;
    cr_assert_eq(jpeg_same(a, b), -EBADMSG);
    b->quant[1][7] = 0;
    b->quant[3][7] = 1; /* a table that no component has */
    b->frame.component[1].coding = 1;
    cr_assert_eq(jpeg_same(a, b), 0);
    b->frame.component[2].id = 9;
    cr_assert_eq(jpeg_same(a, b), -EBADMSG);
    lod_jpeg_destroy(a);
    lod_jpeg_destroy(b);
}
