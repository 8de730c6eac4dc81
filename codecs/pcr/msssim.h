/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-scale SSIM (Wang, Simoncelli, Bovik 2003): 5 scales, 11-tap Gaussian of sigma 1.5, no
 * padding, 2 x 2 mean between scales, mean over channels. An image whose shorter side is under
 * 176 uses as many scales as keep 11 pixels, weights renormalised to sum 1. Knows no JPEG.
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

/* The reference's side of the computation, made once for many distorted images. */
struct lod_msssim;

/* -EINVAL: a side under 11 pixels (no window fits). -ENOMEM. Copies what it needs. */
LOD_MUST_CHECK int lod_msssim_create(struct lod_msssim_image reference,
                                     struct lod_msssim **ret_msssim);
struct lod_msssim *lod_msssim_destroy(struct lod_msssim *msssim);

/* MSSIM of `image` (same shape as the reference, else -EINVAL), 0 .. 1. One thread at a time. */
LOD_MUST_CHECK int lod_msssim_compare(struct lod_msssim *msssim, struct lod_msssim_image image,
                                      double *ret_mssim);

#endif
