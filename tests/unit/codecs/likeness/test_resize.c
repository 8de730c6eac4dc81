/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Golden values of Pillow 9.4, Image.resize(size, BILINEAR); suite `model` compares more shapes
 * where Pillow is installed. Both round, so results may differ by one level.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "likeness/resize.h"

#define SAMPLES_MAX 512

static void paint(uint8_t *at, uint32_t width, uint32_t height, uint32_t channels)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            for (uint32_t c = 0; c < channels; c++) {
                *at++ = (uint8_t)(x * 37 + y * 91 + c * 53 + x * y * (c + 3) % 97 * 5);
            }
        }
    }
}

static struct lod_resize_image whole(const uint8_t *at, uint32_t width, uint32_t height,
                                     uint32_t channels)
{
    return (struct lod_resize_image){at, width, height, channels, (size_t)width * channels};
}

Test(resize, is_within_a_level_of_pillow)
{
    static const struct {
        uint32_t width, height, channels, to_width, to_height;
        uint8_t pillow[64];
    } cases[] = {
        {7, 5, 1, 3, 2, {112, 138, 126, 127, 116, 143}},
        {7,
         5,
         3,
         3,
         2,
         {112, 119, 111, 138, 118, 148, 126, 155, 133, 127, 108, 148, 116, 101, 145, 143, 132,
          120}},
        {3, 2, 1, 7, 5, {0,   5,   21,  37,  53, 69, 74,  9,   14,  31,  48, 64,
                         81,  86,  46,  52,  71, 90, 109, 129, 135, 82,  89, 111,
                         132, 154, 176, 183, 91, 98, 121, 143, 165, 188, 195}},
        {12, 9, 3, 5, 4, {109, 118, 110, 139, 122, 154, 128, 137, 127, 123, 97,  150,
                          109, 146, 133, 128, 112, 143, 115, 105, 141, 134, 135, 120,
                          145, 134, 117, 130, 133, 163, 115, 137, 131, 111, 102, 129,
                          147, 138, 108, 133, 140, 124, 138, 124, 131, 101, 128, 116,
                          100, 116, 84,  119, 130, 68,  117, 118, 187, 129, 120, 163}},
        {5, 4, 4, 2, 3, {69,  102, 125, 171, 127, 136, 190, 93,  161, 134, 96,  127,
                         153, 100, 117, 123, 115, 109, 148, 116, 96,  121, 125, 120}},
    };
    uint8_t from[SAMPLES_MAX], into[SAMPLES_MAX];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t samples = (size_t)cases[i].to_width * cases[i].to_height * cases[i].channels;
        paint(from, cases[i].width, cases[i].height, cases[i].channels);
        struct lod_resize_image image =
            whole(from, cases[i].width, cases[i].height, cases[i].channels);
        cr_assert_eq(lod_resize(&image, cases[i].to_width, cases[i].to_height, into), 0);
        for (size_t k = 0; k < samples; k++) {
            cr_expect_leq(abs(into[k] - cases[i].pillow[k]), 1, "case %zu, sample %zu: %u, not %u",
                          i, k, into[k], cases[i].pillow[k]);
        }
    }
}

Test(resize, to_its_own_size_is_a_copy)
{
    uint8_t from[SAMPLES_MAX], into[SAMPLES_MAX];

    paint(from, 17, 10, 3);
    struct lod_resize_image image = whole(from, 17, 10, 3);
    cr_assert_eq(lod_resize(&image, 17, 10, into), 0);
    cr_assert_arr_eq(into, from, 17 * 10 * 3);
}

Test(resize, a_flat_image_stays_flat_at_every_level_and_size)
{
    static const uint32_t sides[] = {1, 2, 3, 5, 8, 13};
    uint8_t from[SAMPLES_MAX], into[SAMPLES_MAX];

    for (unsigned value = 0; value < 256; value++) {
        memset(from, (int)value, sizeof(from));
        for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
            struct lod_resize_image image = whole(from, 11, 7, 3);
            cr_assert_eq(lod_resize(&image, sides[i], sides[5 - i], into), 0);
            for (size_t k = 0; k < (size_t)sides[i] * sides[5 - i] * 3; k++) {
                cr_assert_eq(into[k], value);
            }
        }
    }
}

Test(resize, of_a_part_reads_nothing_beside_it)
{
    uint8_t from[SAMPLES_MAX], part[SAMPLES_MAX], a[SAMPLES_MAX], b[SAMPLES_MAX];

    paint(from, 20, 8, 3);
    for (uint32_t y = 0; y < 5; y++) {
        memcpy(part + y * 9 * 3, from + ((y + 2) * 20 + 6) * 3, 9 * 3);
    }
    struct lod_resize_image alone = whole(part, 9, 5, 3);
    struct lod_resize_image within = {from + (2 * 20 + 6) * 3, 9, 5, 3, 20 * 3};
    cr_assert_eq(lod_resize(&alone, 4, 3, a), 0);
    cr_assert_eq(lod_resize(&within, 4, 3, b), 0);
    cr_assert_arr_eq(a, b, 4 * 3 * 3);
}

/* The vector loop and the loop for the columns behind it add in the same order. */
Test(resize, columns_behind_whole_vectors_are_the_same)
{
    uint8_t from[SAMPLES_MAX], wide[SAMPLES_MAX], narrow[SAMPLES_MAX];

    paint(from, 31, 9, 1);
    struct lod_resize_image image = whole(from, 31, 9, 1), left = image;
    left.width = 15;
    cr_assert_eq(lod_resize(&image, 31, 4, wide), 0);
    cr_assert_eq(lod_resize(&left, 15, 4, narrow), 0);
    for (unsigned y = 0; y < 4; y++) {
        cr_assert_arr_eq(wide + y * 31, narrow + y * 15, 15);
    }
}

Test(resize, of_no_image_is_refused)
{
    uint8_t from[4] = {0}, into[4];
    static const struct {
        uint32_t width, height, channels, to_width, to_height;
    } cases[] = {{0, 1, 1, 1, 1}, {1, 0, 1, 1, 1}, {1, 1, 0, 1, 1},     {1, 1, 5, 1, 1},
                 {1, 1, 1, 0, 1}, {1, 1, 1, 1, 0}, {65536, 1, 1, 1, 1}, {1, 1, 1, 1, 65536}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lod_resize_image image =
            whole(from, cases[i].width, cases[i].height, cases[i].channels);
        cr_expect_eq(lod_resize(&image, cases[i].to_width, cases[i].to_height, into), -EINVAL,
                     "case %zu", i);
    }
}

Test(resize, sides_are_those_of_torchvision)
{
    static const struct {
        uint32_t width, height, size, to_width, to_height;
    } cases[] = {
        {500, 375, 224, 298, 224},  {375, 500, 224, 224, 298}, {400, 534, 112, 112, 149},
        {300, 300, 224, 224, 224},  {200, 150, 224, 200, 150}, {224, 300, 224, 224, 300},
        {65535, 12, 11, 60073, 11}, {1, 1, 11, 1, 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t width, height;
        lod_resize_sides(cases[i].width, cases[i].height, cases[i].size, &width, &height);
        cr_expect_eq(width, cases[i].to_width, "case %zu: %u", i, width);
        cr_expect_eq(height, cases[i].to_height, "case %zu: %u", i, height);
    }
}
