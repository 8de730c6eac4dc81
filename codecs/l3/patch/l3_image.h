/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The image that the L3 codec works on: width x height pixels of 1 .. 4 samples, each of 1, 2, 4, 8
 * or 16 bits. A palette image has one sample a pixel, the index.
 *
 * In memory the samples of a pixel are adjacent, and rows are `stride` bytes apart. A sample takes
 * one byte for up to 8 bits (not packed, below 2^bits), or two bytes, low byte first, for 16. Rows
 * need no alignment. Nothing past the last sample of a row is read or written.
 */
#ifndef LOD_L3_IMAGE_H
#define LOD_L3_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOD_L3_SAMPLES_MAX 4
#define LOD_L3_PIXELS_MAX  0x7fffffffu /* the longest side of an image */

struct lod_l3_image {
    uint32_t width, height; /* 1 .. LOD_L3_PIXELS_MAX */
    uint8_t samples;        /* of a pixel, 1 .. 4 */
    uint8_t bits;           /* of a sample: 1, 2, 4, 8 or 16 */
};

static inline bool lod_l3_image_valid(const struct lod_l3_image *image)
{
    return image->width >= 1 && image->width <= LOD_L3_PIXELS_MAX && image->height >= 1 &&
           image->height <= LOD_L3_PIXELS_MAX && image->samples >= 1 &&
           image->samples <= LOD_L3_SAMPLES_MAX &&
           (image->bits == 1 || image->bits == 2 || image->bits == 4 || image->bits == 8 ||
            image->bits == 16);
}

/* Returns the bytes of a pixel in memory, 1 .. 8. */
static inline size_t lod_l3_pixel_bytes(const struct lod_l3_image *image)
{
    return (size_t)image->samples * (image->bits == 16 ? 2 : 1);
}

/* Returns the bytes of a row in memory, below 2^34. */
static inline uint64_t lod_l3_row_bytes(const struct lod_l3_image *image)
{
    return (uint64_t)image->width * lod_l3_pixel_bytes(image);
}

#endif
