/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of plain pixels: PGM and PPM of 8 bits, NPY for all else, whose headers follow from the
 * numbers of an image. FORMAT.md, Decoded forms.
 */
#ifndef LOD_PIXELS_H
#define LOD_PIXELS_H

#include <stdint.h>

#include "compiler.h"
#include "plan.h"

/* What decoding an item may take, its pixels included; what takes more has NO_DECODED. */
#define LOD_DECODED_BYTES_MAX (128ull << 20)

struct lod_pixels {
    uint32_t width, height; /* 1 .. 2^31 - 1 */
    uint8_t channels;       /* 1 .. 4 */
    uint8_t sample_bytes;   /* 1, or 2: little endian */
};

/* Without its header. */
static inline uint64_t lod_pixels_bytes(const struct lod_pixels *pixels)
{
    return (uint64_t)pixels->width * pixels->height * pixels->channels * pixels->sample_bytes;
}

/* ".pgm", ".ppm" or ".npy". */
const char *lod_pixels_ending(const struct lod_pixels *pixels);

/* The whole file, into an empty plan: the header as text, the pixels as MADE pieces of `form`, rows
 * from the top, channels of a pixel side by side. */
LOD_MUST_CHECK int lod_pixels_plan(const struct lod_pixels *pixels, unsigned form,
                                   struct lod_plan *plan);

#endif
