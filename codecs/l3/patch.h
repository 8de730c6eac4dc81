/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One patch of an image: what its coders share. A patch is decoded row by row,
 * and a row plane by plane, from the residuals of a row and the row above it;
 * FORMAT.md, L3 stream, Patches.
 */
#ifndef LOD_PATCH_H
#define LOD_PATCH_H

#include "bytes.h"
#include "compiler.h"
#include "l3/l3_image.h"
#include "l3/l3_stream.h"

/* The first byte of a patch: how it is coded, and whether G was subtracted from
 * R and B. */
#define LOD_L3_KIND_MODE   0x03u
#define LOD_L3_KIND_GREEN  0x04u
#define LOD_L3_KIND_SMALL  0u
#define LOD_L3_KIND_PACKED 1u
#define LOD_L3_KIND_PAPER  2u
#define LOD_L3_KIND_FLAT   3u

struct lod_l3_patch {
    unsigned width, height; /* 1 .. LOD_L3_SIDE_MAX */
    unsigned samples;       /* planes, in coded order: G R B A, G R B, Y A or Y */
    unsigned bits;
};

/* The sample of a pixel that is coded as plane `plane`. */
static inline unsigned lod_l3_plane_sample(const struct lod_l3_patch *patch, unsigned plane)
{
    return patch->samples >= 3 && plane < 2 ? 1 - plane : plane;
}

/* All ones in a sample. */
static inline unsigned lod_l3_sample_mask(const struct lod_l3_patch *patch)
{
    return (1u << patch->bits) - 1;
}

/* A row of a plane with room for its neighbours: samples start at
 * [LOD_L3_MARGIN]. */
#define LOD_L3_MARGIN 1
typedef uint16_t lod_l3_row[LOD_L3_SIDE_MAX + 2 * LOD_L3_MARGIN];

/* Two rows a plane: the one being decoded and the one above, by turns. */
struct lod_l3_rows {
    lod_l3_row row[2][LOD_L3_SAMPLES_MAX];
};

/* Where a decoded patch goes. */
struct lod_l3_target {
    uint8_t *into;
    size_t stride;
};

/* Both margins of a row take its outermost samples. */
static inline void lod_l3_row_close(uint16_t *row, unsigned width)
{
    row[0] = row[LOD_L3_MARGIN];
    row[LOD_L3_MARGIN + width] = row[LOD_L3_MARGIN + width - 1];
}

/* Writes row `y` of the patch from its planes, G added again where `green`. */
void lod_l3_row_store(const struct lod_l3_patch *patch, bool green,
                      lod_l3_row planes[LOD_L3_SAMPLES_MAX], unsigned y,
                      const struct lod_l3_target *target);

/* A patch of one pixel, which stands behind the kind byte as in memory.
 * -EILSEQ. */
LOD_MUST_CHECK int lod_l3_flat_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                                      const struct lod_l3_target *target);

/* Four bits of an array of them, the lower half of a byte first. */
static inline unsigned lod_l3_nibble(const uint8_t *at, unsigned index)
{
    return (unsigned)at[index / 2] >> (index % 2 * 4) & 15u;
}

/* Bits of a residual from the four bits that stand for them: 15 means 16. */
static inline unsigned lod_l3_width_of(unsigned code)
{
    return code + code / 15;
}

/*
 * Eight fields of `width` bits, 0 .. 16, from `width` bytes, lowest bits first.
 * Reads no byte at or behind `end`.
 */
void lod_l3_fields_take(const uint8_t *at, const uint8_t *end, unsigned width, uint16_t fields[8]);

#endif
