/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of plain pixels: PGM and PPM for 8 bits of gray and RGB, NPY for everything else. Their
 * headers follow from the image's dimensions. FORMAT.md, Decoded forms.
 */
#ifndef LOD_PIXELS_H
#define LOD_PIXELS_H

#include <stdint.h>

#include "compiler.h"
#include "plan.h"

/*
 * The most memory that decoding an item may take, its pixels included. An item that takes more has
 * the flag NO_DECODED.
 */
#define LOD_DECODED_BYTES_MAX (128ull << 20)

struct lod_pixels {
    uint32_t width, height; /* 1 .. 2^31 - 1 */
    uint8_t channels;       /* 1 .. 4 */
    uint8_t sample_bytes;   /* 1, or 2 in little endian */
};

/* Returns the size of the pixels without the header. */
static inline uint64_t lod_pixels_bytes(const struct lod_pixels *pixels)
{
    return (uint64_t)pixels->width * pixels->height * pixels->channels * pixels->sample_bytes;
}

/* Returns ".pgm", ".ppm" or ".npy". */
const char *lod_pixels_ending(const struct lod_pixels *pixels);

/*
 * Appends the whole file to an empty plan: the header as TEXT, the pixels as MADE pieces of `form`.
 * Rows run from the top; the channels of a pixel are adjacent.
 */
LOD_MUST_CHECK int lod_pixels_plan(const struct lod_pixels *pixels, unsigned form,
                                   struct lod_plan *plan);

/*
 * The inverse: the dimensions of the file that lod_pixels_plan made. Returns -EILSEQ if the plan is
 * none of those.
 */
LOD_MUST_CHECK int lod_pixels_of_plan(const struct lod_plan *plan, struct lod_pixels *ret_pixels);

#endif
