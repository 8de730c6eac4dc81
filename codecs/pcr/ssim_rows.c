/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results are the same bits on any machine: every pixel's arithmetic stands in one order of IEEE
 * float operations that no vector width changes (the build forbids contracted multiply-adds), and
 * sums run in a fixed number of lanes.
 */
#include "pcr/ssim_rows.h"

/* (K L)^2 of the paper, K1 = .01, K2 = .03, L = 255. */
static const float c1 = 6.5025F, c2 = 58.5225F;

/* exp(-d^2 / (2 * 1.5^2)) for d = 5 .. 0, scaled so that the 11 taps sum to 1. */
static const float gauss[6] = {.00102838008447911F, .00759875813523919F, .0360007721284308F,
                               .109360689509700F,   .213005537711254F,   .266011724861794F};

/* Vector units beyond the baseline are chosen when the program is loaded (codecs/meson.build). */
#ifdef LOD_TARGET_CLONES
#define WIDEST __attribute__((target_clones("avx2", "default")))
#else
#define WIDEST
#endif

WIDEST static void blur(const float *const in[LOD_SSIM_TAPS], float *restrict out, size_t count)
{
    for (size_t at = 0; at < count; at += LOD_SSIM_LANES) {
        for (size_t i = at; i < at + LOD_SSIM_LANES; i++) {
            out[i] = gauss[0] * (in[0][i] + in[10][i]) + gauss[1] * (in[1][i] + in[9][i]) +
                     gauss[2] * (in[2][i] + in[8][i]) + gauss[3] * (in[3][i] + in[7][i]) +
                     gauss[4] * (in[4][i] + in[6][i]) + gauss[5] * in[5][i];
        }
    }
}

WIDEST static void products(const float *x, const float *y, float *restrict xx, float *restrict xy,
                            size_t count)
{
    for (size_t at = 0; at < count; at += LOD_SSIM_LANES) {
        for (size_t i = at; i < at + LOD_SSIM_LANES; i++) {
            xx[i] = x[i] * x[i];
            xy[i] = x[i] * y[i];
        }
    }
}

WIDEST static void contrast(float *const windows[3], const float *mean, const float *variances,
                            float *restrict out, size_t count)
{
    const float *x = windows[0], *xx = windows[1], *xy = windows[2];

    for (size_t at = 0; at < count; at += LOD_SSIM_LANES) {
        for (size_t i = at; i < at + LOD_SSIM_LANES; i++) {
            out[i] =
                (2 * (xy[i] - x[i] * mean[i]) + c2) / ((xx[i] - x[i] * x[i]) + variances[i] + c2);
        }
    }
}

WIDEST static void luminance(const float *x, const float *mean, float *restrict out, size_t count)
{
    for (size_t at = 0; at < count; at += LOD_SSIM_LANES) {
        for (size_t i = at; i < at + LOD_SSIM_LANES; i++) {
            out[i] *= (2 * (x[i] * mean[i]) + c1) / ((x[i] * x[i] + mean[i] * mean[i]) + c1);
        }
    }
}

WIDEST static void variance(const float *x, const float *xx, float *restrict out, size_t count)
{
    for (size_t at = 0; at < count; at += LOD_SSIM_LANES) {
        for (size_t i = at; i < at + LOD_SSIM_LANES; i++) {
            out[i] = xx[i] - x[i] * x[i];
        }
    }
}

/* A compiler may tell only this file the names of what it cloned (clang 14 does). */

void lod_ssim_blur(const float *const in[LOD_SSIM_TAPS], float *restrict out, size_t count)
{
    blur(in, out, count);
}

void lod_ssim_products(const float *x, const float *y, float *restrict xx, float *restrict xy,
                       size_t count)
{
    products(x, y, xx, xy, count);
}

void lod_ssim_contrast(float *const windows[3], const float *mean, const float *variances,
                       float *restrict out, size_t count)
{
    contrast(windows, mean, variances, out, count);
}

void lod_ssim_luminance(const float *x, const float *mean, float *restrict out, size_t count)
{
    luminance(x, mean, out, count);
}

void lod_ssim_variance(const float *x, const float *xx, float *restrict out, size_t count)
{
    variance(x, xx, out, count);
}

double lod_ssim_sum(const float *row, size_t count)
{
    float lanes[LOD_SSIM_LANES] = {0};
    size_t whole = count / LOD_SSIM_LANES * LOD_SSIM_LANES;
    double sum = 0;

    for (size_t at = 0; at < whole; at += LOD_SSIM_LANES) {
        for (size_t i = 0; i < LOD_SSIM_LANES; i++) {
            lanes[i] += row[at + i];
        }
    }
    for (size_t i = whole; i < count; i++) {
        lanes[i - whole] += row[i];
    }
    for (size_t i = 0; i < LOD_SSIM_LANES; i++) {
        sum += (double)lanes[i];
    }
    return sum;
}

void lod_ssim_halve(const float *above, const float *below, uint32_t width, float *out)
{
    uint32_t odd = width % 2;

    for (uint32_t i = 0; i < (width + 1) / 2; i++) {
        uint32_t right = 2 * i + 1 - odd;
        float sum = below[right] + (above ? above[right] : 0);
        if (right > 0) {
            sum += below[right - 1] + (above ? above[right - 1] : 0);
        }
        out[i] = sum / 4;
    }
}
