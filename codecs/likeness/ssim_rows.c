/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of SSIM, with bit-identical results on every machine. Each pixel's operations have
 * a fixed order that no vector width changes; the build forbids fused multiply-adds. Sums use a
 * fixed number of partial sums.
 */
#include "likeness/ssim_rows.h"

#include <string.h>

/* (K L)^2 of the paper, with K1 = .01, K2 = .03, L = 255. */
static const float c1 = 6.5025F, c2 = 58.5225F;

/* exp(-d^2 / (2 * 1.5^2)) for d = 5 .. 0, scaled so that the 11 taps sum to 1. */
static const float gauss[6] = {.00102838008447911F, .00759875813523919F, .0360007721284308F,
                               .109360689509700F,   .213005537711254F,   .266011724861794F};

/* The loader chooses versions for newer processors when the program starts (codecs/meson.build). */
#ifdef LOD_TARGET_CLONES
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDEST
#endif

/*
 * A step of LOD_SSIM_LANES floats. As one vector it is one bounds check under AddressSanitizer,
 * where a loop over floats, which compilers vectorise to the same code, is a check for each.
 */
typedef float step __attribute__((vector_size(LOD_SSIM_LANES * sizeof(float))));

#define INLINE static inline __attribute__((always_inline))

INLINE step load(const float *from)
{
    step x;

    memcpy(&x, from, sizeof(x));
    return x;
}

INLINE void store(float *into, step x)
{
    memcpy(into, &x, sizeof(x));
}

/* Returns the weighted sum of the two floats at distance `tap` before and after the middle. */
INLINE step pair(const float *const in[LOD_SSIM_TAPS], size_t i, unsigned tap)
{
    return gauss[tap] * (load(in[tap] + i) + load(in[LOD_SSIM_TAPS - 1 - tap] + i));
}

WIDEST static void blur(const float *const in[LOD_SSIM_TAPS], float *restrict out, size_t count)
{
    for (size_t i = 0; i < count; i += LOD_SSIM_LANES) {
        store(out + i, pair(in, i, 0) + pair(in, i, 1) + pair(in, i, 2) + pair(in, i, 3) +
                           pair(in, i, 4) + gauss[5] * load(in[5] + i));
    }
}

WIDEST static void products(const float *x, const float *y, float *restrict xx, float *restrict xy,
                            size_t count)
{
    for (size_t i = 0; i < count; i += LOD_SSIM_LANES) {
        step a = load(x + i), b = load(y + i);
        store(xx + i, a * a);
        store(xy + i, a * b);
    }
}

WIDEST static void contrast(float *const windows[3], const float *mean, const float *variances,
                            float *restrict out, size_t count)
{
    for (size_t i = 0; i < count; i += LOD_SSIM_LANES) {
        step x = load(windows[0] + i), xx = load(windows[1] + i), xy = load(windows[2] + i);
        store(out + i,
              (2 * (xy - x * load(mean + i)) + c2) / ((xx - x * x) + load(variances + i) + c2));
    }
}

WIDEST static void luminance(const float *x, const float *mean, float *restrict out, size_t count)
{
    for (size_t i = 0; i < count; i += LOD_SSIM_LANES) {
        step a = load(x + i), b = load(mean + i);
        store(out + i, load(out + i) * ((2 * (a * b) + c1) / ((a * a + b * b) + c1)));
    }
}

WIDEST static void variance(const float *x, const float *xx, float *restrict out, size_t count)
{
    for (size_t i = 0; i < count; i += LOD_SSIM_LANES) {
        step a = load(x + i);
        store(out + i, load(xx + i) - a * a);
    }
}

/* clang 14 gives the cloned names to this file only, so the public functions are wrappers. */

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
