/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One patch of an image: types and helpers that its coders share. A patch is decoded row by row,
 * and a row plane by plane, from the row's residuals and the row above. FORMAT.md, L3 stream,
 * Patches.
 */
#ifndef LOD_PATCH_H
#define LOD_PATCH_H

#include "bytes.h"
#include "compiler.h"
#include "l3/patch/l3_image.h"
#include "l3/patch/l3_stream.h"

/* The first byte of a patch: its mode, and whether G was subtracted from R and B. */
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

/* Returns which sample of a pixel is coded as plane `plane`. */
static inline unsigned lod_l3_plane_sample(const struct lod_l3_patch *patch, unsigned plane)
{
    return patch->samples >= 3 && plane < 2 ? 1 - plane : plane;
}

/* Returns a sample with all bits set. */
static inline unsigned lod_l3_sample_mask(const struct lod_l3_patch *patch)
{
    return (1u << patch->bits) - 1;
}

/* A row of a plane with a margin for its neighbours: samples start at [LOD_L3_MARGIN]. */
#define LOD_L3_MARGIN 1
typedef uint16_t lod_l3_row[LOD_L3_SIDE_MAX + 2 * LOD_L3_MARGIN];

/* Two rows for each plane: the current one and the one above, alternating. */
struct lod_l3_rows {
    lod_l3_row row[2][LOD_L3_SAMPLES_MAX];
};

/* The destination of a decoded patch. */
struct lod_l3_target {
    uint8_t *into;
    size_t stride;
};

/* Sets both margins of a row to its outermost samples. */
static inline void lod_l3_row_close(uint16_t *row, unsigned width)
{
    row[0] = row[LOD_L3_MARGIN];
    row[LOD_L3_MARGIN + width] = row[LOD_L3_MARGIN + width - 1];
}

/* Writes row `y` of the patch from its planes. If `green`, G is added to R and B again. */
void lod_l3_row_store(const struct lod_l3_patch *patch, bool green,
                      lod_l3_row planes[LOD_L3_SAMPLES_MAX], unsigned y,
                      const struct lod_l3_target *target);

/*
 * Decodes a patch of one colour; the pixel follows the kind byte, laid out as in memory. Returns
 * -EILSEQ.
 */
LOD_MUST_CHECK int lod_l3_flat_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                                      const struct lod_l3_target *target);

/* Returns element `index` of an array of four-bit numbers, the lower half of a byte first. */
static inline unsigned lod_l3_nibble(const uint8_t *at, unsigned index)
{
    return (unsigned)at[index / 2] >> (index % 2 * 4) & 15u;
}

/* Returns the width that a four-bit code stands for: 15 means 16. */
static inline unsigned lod_l3_width_of(unsigned code)
{
    return code + code / 15;
}

/*
 * Reads eight fields of `width` bits, 0 .. 16, from `width` bytes, lowest bits first. Reads nothing
 * from `end` on.
 */
void lod_l3_fields_take(const uint8_t *at, const uint8_t *end, unsigned width, uint16_t fields[8]);

#endif
