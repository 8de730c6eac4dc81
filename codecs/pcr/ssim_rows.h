/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SSIM row by row: the arithmetic of msssim.c, which alone uses it. A row has room for whole steps
 * of LOD_SSIM_LANES floats, and all of a step is read and written.
 */
#ifndef LOD_SSIM_ROWS_H
#define LOD_SSIM_ROWS_H

#include <stddef.h>
#include <stdint.h>

#define LOD_SSIM_TAPS  11
#define LOD_SSIM_LANES 16u /* floats a loop step works on */

/* out = the Gaussian over in[0] .. in[10]. All of `count` are floats of `out`. */
void lod_ssim_blur(const float *const in[LOD_SSIM_TAPS], float *restrict out, size_t count);

/* x * x and x * y. */
void lod_ssim_products(const float *x, const float *y, float *restrict xx, float *restrict xy,
                       size_t count);

/* The contrast and structure terms of one row of windows: means of x, x * x and x * y. */
void lod_ssim_contrast(float *const windows[3], const float *mean, const float *variance,
                       float *restrict out, size_t count);

/* Multiplies the luminance term into `out`: only the coarsest scale has it. */
void lod_ssim_luminance(const float *x, const float *mean, float *restrict out, size_t count);

/* Of means of x and x * x. */
void lod_ssim_variance(const float *x, const float *xx, float *restrict out, size_t count);

/* The sum of a row, in LOD_SSIM_LANES partial sums whose order no vector width changes. */
double lod_ssim_sum(const float *row, size_t count);

/* One row of 2 x 2 means; `above` is NULL before the first row of an odd height. */
void lod_ssim_halve(const float *above, const float *below, uint32_t width, float *out);
#endif
