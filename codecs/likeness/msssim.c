/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-scale SSIM. Wang, Simoncelli, Bovik: "Multiscale structural similarity for image quality
 * assessment", 2003. The conventions are those of the published PyTorch implementation:
 *
 * - windows lie within the image;
 * - scales are halved by 2 x 2 means, with a zero row and column before an odd side;
 * - negative contrast terms count as 0.
 */
#include "likeness/msssim.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "likeness/ssim_rows.h"

#define SCALES_MAX 5
#define CHANNELS   4
#define SIDE_MAX   65535u

/* The paper's weights of the scales, fine to coarse. */
static const double weights[SCALES_MAX] = {.0448, .2856, .3001, .2363, .1333};

/* A sampled comparison uses every fourth row of windows at scale 0, every second at scale 1,
 * and all at the others. Little is lost: neighbouring rows of windows share 10 of their 11
 * pixel rows. */
static const uint32_t sampled_rows[SCALES_MAX] = {4, 2, 1, 1, 1};

struct scale {
    uint32_t width, height;
    uint32_t row_step;         /* 1 row of windows in this many is compared */
    size_t stride;             /* floats a row, whole LOD_SSIM_LANES and LOD_SSIM_TAPS more */
    float *plane[CHANNELS];    /* the reference */
    float *mean[CHANNELS];     /* its local mean, one a window */
    float *variance[CHANNELS]; /* and variance */
};

struct lod_msssim {
    struct lod_msssim_image shape; /* with `at` NULL */
    unsigned scales;
    struct scale scale[SCALES_MAX];
    float *plane[2];   /* one channel of the compared image, at this scale and the next */
    float *square[2];  /* ring buffers of LOD_SSIM_TAPS rows: x * x and x * y */
    float *columns[3]; /* a row after the vertical blur: x, x * x, x * y */
    float *windows[3]; /* the same after the horizontal blur */
    float *memory;     /* the memory block that holds all of these */
};

static size_t steps(size_t floats)
{
    return (floats + LOD_SSIM_LANES - 1) / LOD_SSIM_LANES * LOD_SSIM_LANES;
}

static void halve(const struct scale *from, const float *in, const struct scale *to, float *out)
{
    uint32_t odd = from->height % 2;

    for (uint32_t i = 0; i < to->height; i++) {
        uint32_t lower = 2 * i + 1 - odd;
        const float *below = in + lower * from->stride;
        lod_ssim_halve(lower ? below - from->stride : NULL, below, from->width,
                       out + i * to->stride);
    }
}

/* Computes the products of row `y` and stores them in the ring buffers. */
static void take_row(struct lod_msssim *m, const struct scale *s, const float *image,
                     const float *reference, uint32_t y)
{
    size_t at = y * s->stride, ring = y % LOD_SSIM_TAPS * s->stride;
    lod_ssim_products(image + at, reference + at, m->square[0] + ring, m->square[1] + ring,
                      s->width);
}

/* Computes the Gaussian means of x, x * x and x * y over the windows whose first row is `y`. */
static void blur_windows(struct lod_msssim *m, const struct scale *s, const float *image,
                         uint32_t y)
{
    const float *in[LOD_SSIM_TAPS];

    for (unsigned field = 0; field < 3; field++) {
        for (unsigned k = 0; k < LOD_SSIM_TAPS; k++) {
            in[k] = field ? m->square[field - 1] + (y + k) % LOD_SSIM_TAPS * s->stride
                          : image + (y + k) * s->stride;
        }
        lod_ssim_blur(in, m->columns[field], s->width);
        for (unsigned k = 0; k < LOD_SSIM_TAPS; k++) {
            in[k] = m->columns[field] + k;
        }
        lod_ssim_blur(in, m->windows[field], s->width - LOD_SSIM_TAPS + 1);
    }
}

/* Returns whether a row of windows that is compared ends with row `y`. */
static bool ends_windows(const struct scale *s, uint32_t y)
{
    return y + 1 >= LOD_SSIM_TAPS && (y + 1 - LOD_SSIM_TAPS) % s->row_step == 0;
}

/* Fills in the reference's mean and variance at one scale. */
static void measure_reference(struct lod_msssim *m, const struct scale *s, unsigned channel)
{
    const float *plane = s->plane[channel];
    size_t count = s->width - LOD_SSIM_TAPS + 1;

    for (uint32_t y = 0; y < s->height; y++) {
        take_row(m, s, plane, plane, y);
        if (ends_windows(s, y)) {
            size_t at = (y + 1 - LOD_SSIM_TAPS) * s->stride;
            blur_windows(m, s, plane, y + 1 - LOD_SSIM_TAPS);
            memcpy(s->mean[channel] + at, m->windows[0], count * sizeof(float));
            lod_ssim_variance(m->windows[0], m->windows[1], s->variance[channel] + at, count);
        }
    }
}

/*
 * Returns the mean over all windows of one channel at one scale: of the contrast term, times the
 * luminance term if `coarsest`.
 */
static double compare_scale(struct lod_msssim *m, const struct scale *s, unsigned channel,
                            const float *image, bool coarsest)
{
    size_t count = s->width - LOD_SSIM_TAPS + 1;
    float *out = m->columns[0];
    double sum = 0;
    uint32_t rows = 0;

    for (uint32_t y = 0; y < s->height; y++) {
        take_row(m, s, image, s->plane[channel], y);
        if (ends_windows(s, y)) {
            size_t at = (y + 1 - LOD_SSIM_TAPS) * s->stride;
            blur_windows(m, s, image, y + 1 - LOD_SSIM_TAPS);
            lod_ssim_contrast(m->windows, s->mean[channel] + at, s->variance[channel] + at, out,
                              count);
            if (coarsest) {
                lod_ssim_luminance(m->windows[0], s->mean[channel] + at, out, count);
            }
            sum += lod_ssim_sum(out, count);
            rows++;
        }
    }
    return sum / (double)count / rows;
}

static void take_channel(struct lod_msssim_image pixels, unsigned channel, size_t stride,
                         float *out)
{
    const uint8_t *at = pixels.at + channel;

    for (uint32_t y = 0; y < pixels.height; y++) {
        for (uint32_t x = 0; x < pixels.width; x++, at += pixels.channels) {
            out[y * stride + x] = (float)*at;
        }
    }
}

/* Shapes of the scales: 11 * 2^(n - 1) pixels a side for n of them. */
static unsigned plan_scales(struct lod_msssim_image shape, bool sampled,
                            struct scale scale[SCALES_MAX])
{
    uint32_t side = shape.width < shape.height ? shape.width : shape.height;
    unsigned count = 0;

    for (; count < SCALES_MAX && side >> count >= LOD_SSIM_TAPS; count++) {
        struct scale *s = &scale[count];
        s->width = count ? (s[-1].width + 1) / 2 : shape.width;
        s->height = count ? (s[-1].height + 1) / 2 : shape.height;
        s->stride = steps(s->width) + LOD_SSIM_LANES;
        s->row_step = sampled ? sampled_rows[count] : 1;
    }
    return count;
}

/* Returns the next `floats` floats of the block; with `at` NULL only counts them. */
static float *hand_out(float *at, size_t floats, size_t *used)
{
    float *from = at ? at + *used : NULL;
    *used += floats;
    return from;
}

/*
 * Places all planes and rows in `memory` and returns their size in floats; with NULL only counts.
 */
static size_t lay_out(struct lod_msssim *m, float *memory)
{
    size_t used = 0;
    size_t stride = m->scale[0].stride;

    for (unsigned i = 0; i < m->scales; i++) {
        struct scale *s = &m->scale[i];
        for (unsigned c = 0; c < m->shape.channels; c++) {
            s->plane[c] = hand_out(memory, s->height * s->stride, &used);
            s->mean[c] = hand_out(memory, s->height * s->stride, &used);
            s->variance[c] = hand_out(memory, s->height * s->stride, &used);
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        m->plane[i] = hand_out(memory, m->scale[0].height * stride, &used);
        m->square[i] = hand_out(memory, LOD_SSIM_TAPS * stride, &used);
    }
    for (unsigned i = 0; i < 3; i++) {
        m->columns[i] = hand_out(memory, stride + LOD_SSIM_LANES, &used);
        m->windows[i] = hand_out(memory, stride, &used);
    }
    return used;
}

static bool is_measurable(struct lod_msssim_image p)
{
    return p.channels >= 1 && p.channels <= CHANNELS && p.width >= LOD_SSIM_TAPS &&
           p.height >= LOD_SSIM_TAPS && p.width <= SIDE_MAX && p.height <= SIDE_MAX;
}

static int create(struct lod_msssim_image reference, bool sampled, struct lod_msssim **ret_msssim)
{
    if (!is_measurable(reference)) {
        return -EINVAL;
    }
    struct lod_msssim *m = calloc(1, sizeof(*m));
    if (!m) {
        return -ENOMEM;
    }
    m->shape = reference;
    m->shape.at = NULL;
    m->scales = plan_scales(reference, sampled, m->scale);
    m->memory = calloc(lay_out(m, NULL), sizeof(float));
    if (!m->memory) {
        free(m);
        return -ENOMEM;
    }
    lay_out(m, m->memory);
    for (unsigned c = 0; c < reference.channels; c++) {
        take_channel(reference, c, m->scale[0].stride, m->scale[0].plane[c]);
        for (unsigned i = 0; i < m->scales; i++) {
            const struct scale *s = &m->scale[i];
            if (i > 0) {
                halve(s - 1, s[-1].plane[c], s, s->plane[c]);
            }
            measure_reference(m, s, c);
        }
    }
    *ret_msssim = m;
    return 0;
}

int lod_msssim_create(struct lod_msssim_image reference, struct lod_msssim **ret_msssim)
{
    return create(reference, false, ret_msssim);
}

int lod_msssim_create_sampled(struct lod_msssim_image reference, struct lod_msssim **ret_msssim)
{
    return create(reference, true, ret_msssim);
}

struct lod_msssim *lod_msssim_destroy(struct lod_msssim *msssim)
{
    if (msssim) {
        free(msssim->memory);
        free(msssim);
    }
    return NULL;
}

/*
 * Returns the divisor of the weights for that many scales. For all five it is 1: the published
 * weights, which sum to 1.0001, are used unchanged.
 */
static double weights_share(unsigned scales)
{
    double share = 0;

    for (unsigned i = 0; i < scales; i++) {
        share += weights[i];
    }
    return scales == SCALES_MAX ? 1 : share;
}

static double compare_channel(struct lod_msssim *m, struct lod_msssim_image image, unsigned channel)
{
    double product = 1, share = weights_share(m->scales);

    take_channel(image, channel, m->scale[0].stride, m->plane[0]);
    for (unsigned i = 0; i < m->scales; i++) {
        const struct scale *s = &m->scale[i];
        float *plane = m->plane[i % 2];
        double mean = compare_scale(m, s, channel, plane, i + 1 == m->scales);
        product *= mean > 0 ? pow(mean, weights[i] / share) : 0;
        if (i + 1 < m->scales) {
            halve(s, plane, s + 1, m->plane[(i + 1) % 2]);
        }
    }
    return product;
}

int lod_msssim_compare(struct lod_msssim *msssim, struct lod_msssim_image image, double *ret_mssim)
{
    if (image.width != msssim->shape.width || image.height != msssim->shape.height ||
        image.channels != msssim->shape.channels) {
        return -EINVAL;
    }
    double sum = 0;
    for (unsigned c = 0; c < image.channels; c++) {
        sum += compare_channel(msssim, image, c);
    }
    *ret_mssim = sum / image.channels;
    return 0;
}
