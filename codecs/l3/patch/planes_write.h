/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A patch as its encoders use it: planes in coded order, each row with its margins, and a row of
 * zeros above the first.
 */
#ifndef LOD_PLANES_WRITE_H
#define LOD_PLANES_WRITE_H

#include "l3/patch/patch.h"

struct lod_l3_planes {
    bool green;                                              /* G is now subtracted from R and B */
    lod_l3_row row[LOD_L3_SAMPLES_MAX][LOD_L3_SIDE_MAX + 1]; /* [plane][1 + y] */
};

/* Loads the planes of the patch whose top left sample is at `at`. Nothing is subtracted. */
void lod_l3_planes_load(const struct lod_l3_patch *patch, const uint8_t *at, size_t stride,
                        struct lod_l3_planes *planes);

/* Subtracts G from R and B, or adds it back. */
void lod_l3_planes_toggle_green(const struct lod_l3_patch *patch, struct lod_l3_planes *planes);

/* Computes the residuals of row `y` of a plane. */
void lod_l3_planes_residuals(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                             unsigned plane, unsigned y, unsigned predictor, uint16_t *residuals);

/* Returns the four-bit code of the smallest width that holds `value`. */
static inline unsigned lod_l3_code_of(unsigned value)
{
    unsigned bits = value ? 32u - (unsigned)__builtin_clz(value) : 0;

    return bits < 15 ? bits : 15;
}

/* Writes element `index` of an array of four-bit numbers, which must be zero before. */
static inline void lod_l3_nibble_put(uint8_t *at, unsigned index, unsigned value)
{
    at[index / 2] = (uint8_t)(at[index / 2] | value << (index % 2 * 4));
}

/* Writes eight fields, each plus `bias`, into `width` bytes. Returns the byte after them. */
uint8_t *lod_l3_fields_put(uint8_t *at, const uint16_t *fields, unsigned width, unsigned bias);

#endif
