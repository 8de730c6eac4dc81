/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See resize.h. The filter is separable. For each row of the result, the rows that it covers are
 * added up first, then the columns of that one row of sums. Sums are floats in a fixed order, so
 * results do not depend on the processor; the build forbids fused multiply-adds.
 */
#include "likeness/resize.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define LANES 16u /* floats in a step of the vertical loop */

/* The loader chooses versions for newer processors when the program starts (codecs/meson.build). */
#ifdef LOD_TARGET_CLONES
#define WIDEST __attribute__((target_clones("avx2", "default")))
#else
#define WIDEST
#endif
#define INLINE static inline __attribute__((always_inline))

/* The samples that one position of the result is a weighted mean of. */
struct window {
    uint32_t first, count;
    const float *weights; /* they sum to 1 */
};

/* All windows of one axis. Their weights are stored one after the other. */
struct axis {
    struct window *windows;
    float *weights;
};

static void finish(struct axis *axis)
{
    free(axis->windows);
    free(axis->weights);
}

/*
 * Fills in the window of position `i`. A step of the result is `scale` samples. The triangle spans
 * one step to each side of the position's middle, and at least one sample: below that it
 * interpolates between two.
 */
static void make_window(struct window *window, uint32_t samples, uint32_t i, double scale,
                        float *weights)
{
    const double reach = scale > 1 ? scale : 1, middle = (i + .5) * scale;
    const double from = ceil(middle - reach - .5), to = floor(middle + reach - .5);
    double sum = 0;

    window->first = from > 0 ? (uint32_t)from : 0;
    const uint32_t last = to < samples - 1 ? (uint32_t)to : samples - 1;
    window->count = last + 1 - window->first;
    window->weights = weights;
    for (uint32_t k = 0; k < window->count; k++) {
        sum += 1 - fabs(window->first + k + .5 - middle) / reach;
    }
    for (uint32_t k = 0; k < window->count; k++) {
        weights[k] = (float)((1 - fabs(window->first + k + .5 - middle) / reach) / sum);
    }
}

static int plan_axis(struct axis *axis, uint32_t samples, uint32_t positions)
{
    const double scale = (double)samples / positions;
    const size_t taps = 2 * (size_t)ceil(scale > 1 ? scale : 1) + 1;

    axis->windows = calloc(positions, sizeof(axis->windows[0]));
    axis->weights = calloc(positions * taps, sizeof(axis->weights[0]));
    if (!axis->windows || !axis->weights) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < positions; i++) {
        make_window(&axis->windows[i], samples, i, scale, axis->weights + i * taps);
    }
    return 0;
}

/* Adds up the rows of a window: `count` samples of each into `sums`. */
WIDEST static void add_rows(const struct window *window, const uint8_t *rows, size_t stride,
                            float *restrict sums, size_t count)
{
    size_t x = 0;

    for (; x + LANES <= count; x += LANES) {
        float sum[LANES] = {0};
        for (uint32_t k = 0; k < window->count; k++) {
            const uint8_t *in = rows + k * stride + x;
            const float weight = window->weights[k];
            for (unsigned j = 0; j < LANES; j++) {
                sum[j] += weight * (float)in[j];
            }
        }
        for (unsigned j = 0; j < LANES; j++) {
            sums[x + j] = sum[j];
        }
    }
    for (; x < count; x++) {
        float sum = 0;
        for (uint32_t k = 0; k < window->count; k++) {
            sum += window->weights[k] * (float)rows[k * stride + x];
        }
        sums[x] = sum;
    }
}

/* Rounds to the nearest level. A sum of weights may be above 1 by a rounding error. */
INLINE uint8_t level(float value)
{
    return value >= 254.5F ? 255 : (uint8_t)(value + .5F);
}

INLINE void add_columns(const struct window *windows, const float *sums, uint32_t width,
                        unsigned channels, uint8_t *into)
{
    for (uint32_t x = 0; x < width; x++, into += channels) {
        const float *in = sums + (size_t)windows[x].first * channels;
        float sum[LOD_RESIZE_CHANNELS_MAX] = {0};
        for (uint32_t k = 0; k < windows[x].count; k++, in += channels) {
            for (unsigned c = 0; c < channels; c++) {
                sum[c] += windows[x].weights[k] * in[c];
            }
        }
        for (unsigned c = 0; c < channels; c++) {
            into[c] = level(sum[c]);
        }
    }
}

/* A constant number of channels lets the compiler unroll the inner loop. */
static void write_row(const struct window *windows, const float *sums, uint32_t width,
                      unsigned channels, uint8_t *into)
{
    if (channels == 3) {
        add_columns(windows, sums, width, 3, into);
    } else if (channels == 1) {
        add_columns(windows, sums, width, 1, into);
    } else {
        add_columns(windows, sums, width, channels, into);
    }
}

static bool is_side(uint32_t side)
{
    return side >= 1 && side <= LOD_RESIZE_SIDE_MAX;
}

int lod_resize(const struct lod_resize_image *from, uint32_t width, uint32_t height, uint8_t *into)
{
    struct axis down = {NULL, NULL}, across = {NULL, NULL};
    const size_t count = (size_t)from->width * from->channels;

    if (!is_side(from->width) || !is_side(from->height) || !is_side(width) || !is_side(height) ||
        from->channels < 1 || from->channels > LOD_RESIZE_CHANNELS_MAX) {
        return -EINVAL;
    }
    float *sums = malloc(count * sizeof(sums[0]));
    int error = sums ? plan_axis(&down, from->height, height) : -ENOMEM;
    error = error ? error : plan_axis(&across, from->width, width);
    for (uint32_t y = 0; !error && y < height; y++) {
        const struct window *window = &down.windows[y];
        add_rows(window, from->at + window->first * from->stride, from->stride, sums, count);
        write_row(across.windows, sums, width, from->channels,
                  into + (size_t)y * width * from->channels);
    }
    finish(&down);
    finish(&across);
    free(sums);
    return error;
}

void lod_resize_sides(uint32_t width, uint32_t height, uint32_t size, uint32_t *ret_width,
                      uint32_t *ret_height)
{
    const uint32_t shorter = width < height ? width : height;
    const bool keeps = size >= shorter;

    *ret_width = keeps              ? width
                 : width == shorter ? size
                                    : (uint32_t)((uint64_t)size * width / shorter);
    *ret_height = keeps               ? height
                  : height == shorter ? size
                                      : (uint32_t)((uint64_t)size * height / shorter);
}
