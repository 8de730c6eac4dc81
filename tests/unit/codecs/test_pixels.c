/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "pixels.h"

static struct lod_plan plan_of(struct lod_pixels pixels)
{
    struct lod_plan plan = {0};

    cr_assert_eq(lod_pixels_plan(&pixels, 7, &plan), 0);
    cr_assert_eq(plan.count, 2);
    cr_assert_eq(plan.pieces[1].kind, LOD_PIECE_MADE);
    cr_assert_eq(plan.pieces[1].form, 7);
    cr_assert_eq(plan.pieces[1].bytes, lod_pixels_bytes(&pixels));
    cr_assert_eq(plan.bytes, plan.text_bytes + lod_pixels_bytes(&pixels));
    return plan;
}

Test(pixels, gray_and_rgb_of_8_bits_are_netpbm)
{
    struct lod_plan plan = plan_of((struct lod_pixels){3, 2, 1, 1});

    cr_assert_eq(plan.text_bytes, 11);
    cr_assert_eq(memcmp(plan.text, "P5\n3 2\n255\n", 11), 0);
    plan = plan_of((struct lod_pixels){65500, 1, 3, 1});
    cr_assert_eq(memcmp(plan.text, "P6\n65500 1\n255\n", 15), 0);
    cr_assert_eq(plan.pieces[1].bytes, 3 * 65500);
}

Test(pixels, all_else_is_npy_with_a_header_of_whole_lines_of_64)
{
    static const struct lod_pixels all[] = {{1, 1, 2, 1},
                                            {3, 2, 4, 1},
                                            {640, 480, 1, 2},
                                            {65500, 65500, 3, 2},
                                            {0x7fffffff, 0x1fffffff, 4, 1}};
    char shape[80];

    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct lod_plan plan = plan_of(all[i]);
        cr_assert_eq(memcmp(plan.text, "\x93NUMPY\x01\x00", 8), 0);
        cr_assert_eq(lod_get_le16(plan.text + 8) + 10u, plan.text_bytes);
        cr_assert_eq(plan.text_bytes % 64, 0);
        cr_assert_eq(plan.text[plan.text_bytes - 1], '\n');
        snprintf(shape, sizeof(shape), "'shape': (%u, %u, %u), }", all[i].height, all[i].width,
                 all[i].channels);
        plan.text[plan.text_bytes - 1] = '\0';
        cr_assert_not_null(strstr((char *)plan.text + 10, shape));
        cr_assert_not_null(
            strstr((char *)plan.text + 10, all[i].sample_bytes == 2 ? "'<u2'" : "'|u1'"));
        cr_assert_str_eq(lod_pixels_ending(&all[i]), ".npy");
    }
}

Test(pixels, dimensions_follow_from_the_plan)
{
    static const struct lod_pixels all[] = {
        {3, 2, 1, 1},     {65500, 1, 3, 1}, {1, 1, 2, 1},     {3, 2, 4, 1},
        {640, 480, 1, 2}, {640, 9, 3, 2},   {1, 65500, 1, 1}, {65500, 65500, 4, 2},
    };

    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct lod_pixels found = {0};
        struct lod_plan plan = plan_of(all[i]);
        cr_assert_eq(lod_pixels_of_plan(&plan, &found), 0, "shape %u", i);
        cr_assert_eq(memcmp(&found, &all[i], sizeof(found)), 0, "shape %u", i);
        for (unsigned at = 0; at < plan.text_bytes; at++) {
            struct lod_plan other = plan;
            other.text[at] ^= 1;
            cr_assert_eq(lod_pixels_of_plan(&other, &found), -EILSEQ, "shape %u, byte %u", i, at);
        }
        plan.bytes++;
        cr_assert_eq(lod_pixels_of_plan(&plan, &found), -EILSEQ);
    }
    struct lod_plan empty = {0};
    struct lod_pixels found;
    cr_assert_eq(lod_pixels_of_plan(&empty, &found), -EILSEQ);
}

Test(pixels, endings)
{
    cr_assert_str_eq(lod_pixels_ending(&(struct lod_pixels){1, 1, 1, 1}), ".pgm");
    cr_assert_str_eq(lod_pixels_ending(&(struct lod_pixels){1, 1, 3, 1}), ".ppm");
    cr_assert_str_eq(lod_pixels_ending(&(struct lod_pixels){1, 1, 3, 2}), ".npy");
}
