/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <math.h>

#include "likeness/ssim_rows.h"

#define COUNT (3 * LOD_SSIM_LANES)

static void fill(float *row, size_t count, float first, float step)
{
    for (size_t i = 0; i < count; i++) {
        row[i] = first + step * (float)i;
    }
}

Test(ssim_rows, taps_sum_to_one_and_are_even)
{
    float rows[LOD_SSIM_TAPS][COUNT], out[COUNT];
    const float *in[LOD_SSIM_TAPS];

    for (unsigned k = 0; k < LOD_SSIM_TAPS; k++) {
        fill(rows[k], COUNT, (float)k, 1);
        in[k] = rows[k];
    }
    lod_ssim_blur(in, out, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        cr_assert_lt(fabsf(out[i] - (5 + (float)i)), 1e-4F, "%u: %f", i, (double)out[i]);
    }
}

Test(ssim_rows, a_sum_has_what_is_behind_whole_steps)
{
    float row[COUNT];

    fill(row, COUNT, 1, 1);
    for (size_t count = 0; count <= COUNT; count++) {
        cr_assert_eq(lod_ssim_sum(row, count), (double)(count * (count + 1) / 2), "%zu", count);
    }
}

Test(ssim_rows, halves_begin_with_a_lone_sample_if_the_width_is_odd)
{
    const float above[] = {4, 8, 12}, below[] = {0, 4, 8};
    float out[2];

    lod_ssim_halve(above, below, 3, out);
    cr_assert(out[0] == 1 && out[1] == 8);
    lod_ssim_halve(NULL, below, 2, out);
    cr_assert_eq(out[0], 1);
}

Test(ssim_rows, a_row_against_itself_is_one)
{
    float x[COUNT], xx[COUNT], xy[COUNT], variance[COUNT], out[COUNT];
    float *windows[] = {x, xx, xy};

    fill(x, COUNT, 3, 5);
    lod_ssim_products(x, x, xx, xy, COUNT);
    lod_ssim_variance(x, xx, variance, COUNT);
    lod_ssim_contrast(windows, x, variance, out, COUNT);
    lod_ssim_luminance(x, x, out, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        cr_assert_eq(out[i], 1);
        cr_assert_eq(variance[i], 0);
    }
}
