/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SSIM row by row: the arithmetic of msssim.c, its only user. Rows are read and written in whole
 * steps of LOD_SSIM_LANES floats, so they need room for them.
 */
#ifndef LOD_SSIM_ROWS_H
#define LOD_SSIM_ROWS_H

#include <stddef.h>
#include <stdint.h>

#define LOD_SSIM_TAPS  11
#define LOD_SSIM_LANES 16u /* floats in a loop step */

/* Blurs in[0] .. in[10] into `out`, `count` floats. */
void lod_ssim_blur(const float *const in[LOD_SSIM_TAPS], float *restrict out, size_t count);

/* Computes x * x and x * y. */
void lod_ssim_products(const float *x, const float *y, float *restrict xx, float *restrict xy,
                       size_t count);

/*
 * Computes the contrast and structure terms of one row of windows from the means of x, x * x and x
 * * y.
 */
void lod_ssim_contrast(float *const windows[3], const float *mean, const float *variance,
                       float *restrict out, size_t count);

/* Multiplies the luminance term into `out`; used at the coarsest scale only. */
void lod_ssim_luminance(const float *x, const float *mean, float *restrict out, size_t count);

/* Computes the variance from the means of x and x * x. */
void lod_ssim_variance(const float *x, const float *xx, float *restrict out, size_t count);

/* Returns the sum of a row, from LOD_SSIM_LANES partial sums that no vector width reorders. */
double lod_ssim_sum(const float *row, size_t count);

/* Computes one row of 2 x 2 means. `above` is NULL before the first row of an odd height. */
void lod_ssim_halve(const float *above, const float *below, uint32_t width, float *out);
#endif
