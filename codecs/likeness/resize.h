/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resize that training programs apply to an image before a network sees it: a triangle filter,
 * also called bilinear, which is widened when it shrinks. Results are within one level of those of
 * Pillow and of torchvision with antialiasing. Crops are the caller's: an image may be a part of a
 * larger one.
 */
#ifndef LOD_RESIZE_H
#define LOD_RESIZE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

#define LOD_RESIZE_CHANNELS_MAX 4
#define LOD_RESIZE_SIDE_MAX     65535u

/* Interleaved 8-bit samples; a row begins `stride` bytes behind the one above it. */
struct lod_resize_image {
    const uint8_t *at;
    uint32_t width, height, channels;
    size_t stride;
};

/*
 * Writes the image at width x height to `into`, without gaps between rows. Returns -EINVAL for a
 * side or number of channels outside the limits above, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_resize(const struct lod_resize_image *from, uint32_t width, uint32_t height,
                              uint8_t *into);

/*
 * Returns the sides of an image whose shorter side becomes `size`. The longer one is rounded down,
 * as in torchvision. An image is never enlarged: at a shorter side up to `size` it keeps its sides.
 */
void lod_resize_sides(uint32_t width, uint32_t height, uint32_t size, uint32_t *ret_width,
                      uint32_t *ret_height);

#endif
