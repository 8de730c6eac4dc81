/* SPDX-License-Identifier: Apache-2.0 */
/* Golden values of pytorch-msssim; msssim_golden.py makes them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "likeness/msssim.h"

#define ERROR_MAX 2e-6

struct pair {
    struct lod_msssim_image reference, distorted;
    uint8_t *a, *b;
};

static struct pair make_pair(uint32_t width, uint32_t height, uint32_t channels)
{
    size_t count = (size_t)width * height * channels;
    struct pair pair = {.a = malloc(count), .b = malloc(count)};

    cr_assert(pair.a && pair.b);
    for (size_t i = 0; i < count; i++) {
        uint32_t c = (uint32_t)(i % channels), x = (uint32_t)(i / channels % width);
        uint32_t y = (uint32_t)(i / channels / width);
        uint32_t value = ((x * x + 3 * y * y) / 37 + x * y / (5 + c) + 40 * c) % 256;
        uint32_t noise = (x * 2654435761U + y * 2246822519U + c * 3266489917U) >> 24;
        int32_t changed = (int32_t)(value * 3 / 4 + noise / 2) - 30;
        pair.a[i] = (uint8_t)value;
        pair.b[i] = (uint8_t)(changed < 0 ? 0 : changed > 255 ? 255 : changed);
    }
    pair.reference = (struct lod_msssim_image){pair.a, width, height, channels};
    pair.distorted = (struct lod_msssim_image){pair.b, width, height, channels};
    return pair;
}

static void free_pair(struct pair *pair)
{
    free(pair->a);
    free(pair->b);
}

static double compare(struct lod_msssim_image reference, struct lod_msssim_image image)
{
    struct lod_msssim *msssim = NULL;
    double value = -1;

    cr_assert_eq(lod_msssim_create(reference, &msssim), 0);
    cr_assert_eq(lod_msssim_compare(msssim, image, &value), 0);
    lod_msssim_destroy(msssim);
    return value;
}

Test(msssim, agrees_with_the_published_implementation)
{
    static const struct {
        uint32_t width, height, channels;
        double value;
    } golden[] = {
        {176, 176, 1, 0.938157623}, {200, 177, 3, 0.939563926}, {353, 191, 4, 0.934694914},
        {175, 300, 3, 0.928130619}, {64, 45, 3, 0.857949771},   {12, 11, 1, 0.025666882},
    };
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        struct pair pair = make_pair(golden[i].width, golden[i].height, golden[i].channels);
        double value = compare(pair.reference, pair.distorted);
        cr_expect_float_eq(value, golden[i].value, ERROR_MAX, "%u x %u x %u: %.9f, not %.9f",
                           golden[i].width, golden[i].height, golden[i].channels, value,
                           golden[i].value);
        free_pair(&pair);
    }
}

Test(msssim, an_image_is_exactly_like_itself)
{
    static const uint32_t sides[] = {11, 12, 21, 22, 45, 175, 176, 177, 333};

    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        struct pair pair = make_pair(sides[i], sides[i] + (uint32_t)i, 1 + (uint32_t)i % 4);
        cr_expect_eq(compare(pair.reference, pair.reference), 1.0, "side %u", sides[i]);
        free_pair(&pair);
    }
}

Test(msssim, it_does_not_matter_which_of_two_is_the_reference)
{
    struct pair pair = make_pair(211, 190, 3);

    double value = compare(pair.reference, pair.distorted);
    cr_expect_float_eq(compare(pair.distorted, pair.reference), value, 1e-6);
    cr_expect(value > 0 && value < 1);
    free_pair(&pair);
}

Test(msssim, more_noise_is_less_like)
{
    struct pair pair = make_pair(180, 200, 3);
    size_t count = 180 * 200 * 3;
    double last = 1;

    for (unsigned amount = 1; amount <= 4; amount++) {
        for (size_t i = 0; i < count; i++) {
            uint32_t noise = (uint32_t)(i % 540 * 2654435761U + i / 540 * 2246822519U) >> 28;
            pair.b[i] = (uint8_t)(64 + pair.a[i] / 2 + (noise - 8) * amount);
        }
        double value = compare(pair.reference, pair.distorted);
        cr_expect_lt(value, last, "%u times the noise: %.6f after %.6f", amount, value, last);
        last = value;
    }
    free_pair(&pair);
}

Test(msssim, a_negative_counts_as_nothing_in_common)
{
    struct pair pair = make_pair(200, 200, 1);

    for (size_t i = 0; i < 200 * 200; i++) {
        pair.b[i] = (uint8_t)(255 - pair.a[i]);
    }
    cr_expect_eq(compare(pair.reference, pair.distorted), 0.0);
    free_pair(&pair);
}

Test(msssim, one_reference_serves_many_images)
{
    struct pair pair = make_pair(190, 230, 3);
    struct lod_msssim *msssim = NULL;
    double first = 0, again = 0, self = 0;

    cr_assert_eq(lod_msssim_create(pair.reference, &msssim), 0);
    cr_expect_eq(lod_msssim_compare(msssim, pair.distorted, &first), 0);
    cr_expect_eq(lod_msssim_compare(msssim, pair.reference, &self), 0);
    cr_expect_eq(lod_msssim_compare(msssim, pair.distorted, &again), 0);
    cr_expect_eq(first, again);
    cr_expect_eq(self, 1.0);
    lod_msssim_destroy(msssim);
    free_pair(&pair);
}

Test(msssim, what_has_no_window_or_another_shape_is_refused)
{
    struct pair pair = make_pair(30, 40, 3);
    struct lod_msssim_image odd[] = {{pair.a, 10, 40, 3}, {pair.a, 40, 10, 3},
                                     {pair.a, 20, 20, 0}, {pair.a, 20, 20, 5},
                                     {pair.a, 0, 0, 1},   {pair.a, 65536, 11, 1}};
    struct lod_msssim_image other[] = {
        {pair.b, 40, 30, 3}, {pair.b, 30, 40, 1}, {pair.b, 29, 40, 3}};
    struct lod_msssim *msssim = NULL;
    double value = -1;

    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        cr_expect_eq(lod_msssim_create(odd[i], &msssim), -EINVAL, "shape %zu", i);
    }
    cr_assert_eq(lod_msssim_create(pair.reference, &msssim), 0);
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        cr_expect_eq(lod_msssim_compare(msssim, other[i], &value), -EINVAL, "shape %zu", i);
    }
    cr_expect_eq(value, -1.0);
    cr_expect_null(lod_msssim_destroy(msssim));
    cr_expect_null(lod_msssim_destroy(NULL));
    free_pair(&pair);
}
