/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "l3/patch/predict.h"

/* The margins repeat the outermost samples. */
static const uint16_t above[] = {10, 10, 20, 50, 90, 90};
static const uint16_t zeros[4];

Test(predict, each_predictor_sees_its_neighbours)
{
    static const uint16_t expected[LOD_L3_PREDICTORS][4] = {
        [LOD_L3_TOP] = {10, 20, 50, 90},
        [LOD_L3_PAETH] = {20, 50, 50, 50}, /* TL + TR - T is 20, 40, 60, 50 */
        [LOD_L3_SLOPE] = {10, 20, 50, 90}, /* without residuals: the row above */
        [LOD_L3_LEFT] = {10, 10, 10, 10},
        [LOD_L3_RIGHT] = {15, 35, 70, 90},
        [LOD_L3_SOFT] = {13, 25, 53, 80},
    };

    for (unsigned k = 0; k < LOD_L3_PREDICTORS; k++) {
        uint16_t row[4];
        lod_l3_row_rebuild(k, above + 1, zeros, row, 4, 255);
        cr_assert_eq(memcmp(row, expected[k], sizeof(row)), 0, "%u: %u %u %u %u", k, row[0], row[1],
                     row[2], row[3]);
    }
}

Test(predict, the_first_of_equally_close_ones_is_taken)
{
    static const uint16_t first[] = {10, 12, 13};  /* 11 is 1 from TL, 1 from T, 2 from TR */
    static const uint16_t second[] = {10, 13, 11}; /* 8 is 2 from TL, 5 from T, 3 from TR */
    static const uint16_t middle[] = {30, 20, 10}; /* 20 is T */
    uint16_t row[1];

    lod_l3_row_rebuild(LOD_L3_PAETH, first + 1, zeros, row, 1, 255);
    cr_assert_eq(row[0], 10);
    lod_l3_row_rebuild(LOD_L3_PAETH, second + 1, zeros, row, 1, 255);
    cr_assert_eq(row[0], 10);
    lod_l3_row_rebuild(LOD_L3_PAETH, middle + 1, zeros, row, 1, 255);
    cr_assert_eq(row[0], 20);
}

Test(predict, residuals_and_rows_are_each_others_inverse)
{
    static const unsigned masks[] = {1, 3, 15, 255, 65535};
    uint16_t upper[34], row[34], residuals[32], again[32];
    uint32_t state = 5;

    for (unsigned i = 0; i < 5 * 6 * 20; i++) {
        unsigned mask = masks[i % 5], width = 1 + i % 32;
        for (unsigned x = 0; x < 34; x++) {
            state = state * 1664525u + 1013904223u;
            upper[x] = (uint16_t)(state >> 8 & mask);
            row[x] = (uint16_t)(state >> 12 & mask);
        }
        upper[0] = upper[1];
        upper[width + 1] = upper[width];
        lod_l3_row_residuals(i % 6, upper + 1, row + 1, residuals, width, mask);
        lod_l3_row_rebuild(i % 6, upper + 1, residuals, again, width, mask);
        cr_assert_eq(memcmp(again, row + 1, width * sizeof(row[0])), 0, "%u", i);
    }
}
