/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches of mode small: residuals coded by rANS, each with a class that follows from the row above
 * (FORMAT.md, L3 stream, small). Lane i codes the columns i, i + 32, i + 64 ... of every run.
 */
#ifndef LOD_SMALL_H
#define LOD_SMALL_H

#include "l3/patch/patch.h"
#include "l3/patch/rans.h"

/* The magnitude that residuals above the first row of a plane are taken to have. */
#define LOD_SMALL_FIRST 4u

/* The layout of a small patch. */
struct lod_small_map {
    unsigned runs;
    unsigned lanes;    /* 1 .. LOD_RANS_LANES */
    size_t predictors; /* offset: four bits a run */
    size_t states;     /* offset: u32 a lane */
    size_t words;      /* offset: u16 each, to the end of the patch */
};

static inline struct lod_small_map lod_small_map(const struct lod_l3_patch *patch)
{
    unsigned runs = patch->height * patch->samples;
    unsigned lanes = patch->width < LOD_RANS_LANES ? patch->width : LOD_RANS_LANES;
    size_t states = 1 + (runs + 1) / 2;

    return (struct lod_small_map){
        .runs = runs,
        .lanes = lanes,
        .predictors = 1,
        .states = states,
        .words = states + (size_t)4 * lanes,
    };
}

/* The rows in progress, and the magnitudes of the last row's residuals, with margins. */
struct lod_small_rows {
    struct lod_l3_rows samples;
    lod_l3_row magnitudes[LOD_L3_SAMPLES_MAX];
};

/* Initialises the rows for the first row of a patch. */
void lod_small_rows_init(struct lod_small_rows *rows);

/*
 * Computes the classes of a run's residuals from the row above and the magnitudes of its residuals.
 */
void lod_small_classes(const struct lod_l3_patch *patch, const uint8_t *class_of,
                       const uint16_t *above, const uint16_t *magnitudes, uint8_t *classes);

/* Computes |residual|, where a residual is a signed number modulo 2^bits. */
void lod_small_magnitudes(const struct lod_l3_patch *patch, const uint16_t *residuals,
                          uint16_t *magnitudes);

/*
 * A residual of 16 bits is coded as a token of 6 bits and open bits. Below 16 the token is the
 * zigzag code itself; above it is the highest bit's number and the two bits after it.
 */
#define LOD_SMALL_EXACT  16u
#define LOD_SMALL_TOKENS 64u
static inline unsigned lod_small_open_bits(unsigned token)
{
    return token < LOD_SMALL_EXACT ? 0 : token / 4 - 2;
}

/* Decodes a patch; `bytes` is all of it. Returns -EILSEQ. */
LOD_MUST_CHECK int lod_small_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                                    const struct lod_rans_tables *tables,
                                    const struct lod_l3_target *target,
                                    struct lod_small_rows *rows);

#endif
