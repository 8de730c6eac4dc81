/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-scale SSIM (Wang, Simoncelli, Bovik 2003): 5 scales, 11-tap Gaussian of sigma 1.5, no
 * padding, 2 x 2 mean between scales, mean over channels. An image with a side under 176 uses as
 * many scales as keep 11 pixels, with weights normalised to sum 1. Knows nothing of JPEG.
 */
#ifndef LOD_MSSSIM_H
#define LOD_MSSSIM_H

#include <stdint.h>

#include "compiler.h"

/* Interleaved 8-bit samples. */
struct lod_msssim_image {
    const uint8_t *at;
    uint32_t width, height, channels; /* channels 1 .. 4 */
};

/* The reference image's share of the computation, done once for many compared images. */
struct lod_msssim;

/*
 * Prepares a reference; copies what it needs. Returns -EINVAL if a side is under 11 pixels, since
 * no window fits, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_msssim_create(struct lod_msssim_image reference,
                                     struct lod_msssim **ret_msssim);

/*
 * As lod_msssim_create, but compares a sample of the windows: a quarter of the rows of windows at
 * the finest scale, and half of those at the next. This takes a third of the time. The mean over
 * many photographs differs by at most .0005.
 */
LOD_MUST_CHECK int lod_msssim_create_sampled(struct lod_msssim_image reference,
                                             struct lod_msssim **ret_msssim);

struct lod_msssim *lod_msssim_destroy(struct lod_msssim *msssim);

/*
 * Returns the MSSIM of `image`, 0 .. 1. Returns -EINVAL if its shape is not the reference's. Only
 * one thread at a time may call it.
 */
LOD_MUST_CHECK int lod_msssim_compare(struct lod_msssim *msssim, struct lod_msssim_image image,
                                      double *ret_mssim);

#endif
