/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches of mode small: residuals coded by rANS, the class of each told by the
 * row above (FORMAT.md, L3 stream, small). Lane i codes the columns i, i + 32,
 * i + 64 ... of every run.
 */
#ifndef LOD_SMALL_H
#define LOD_SMALL_H

#include "l3/patch.h"
#include "l3/rans.h"

/* What stands above the first row of a plane for magnitudes of residuals. */
#define LOD_SMALL_FIRST 4u

/* Where the parts of a small patch begin. */
struct lod_small_map {
    unsigned runs;
    unsigned lanes;    /* 1 .. LOD_RANS_LANES */
    size_t predictors; /* offset: four bits a run */
    size_t states;     /* offset: u32 a lane */
    size_t words;      /* offset: u16 each, to the end */
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

/* A row of magnitudes, with margins as a row of samples has. */
struct lod_small_rows {
    struct lod_l3_rows samples;
    lod_l3_row magnitudes[LOD_L3_SAMPLES_MAX];
};

/* Ready for the first row. */
void lod_small_rows_init(struct lod_small_rows *rows);

/* The classes of a run's residuals, from the row above and its residuals'
 * magnitudes. */
void lod_small_classes(const struct lod_l3_patch *patch, const uint8_t *class_of,
                       const uint16_t *above, const uint16_t *magnitudes, uint8_t *classes);

/* |residual|, its sign taken modulo 2^bits. */
void lod_small_magnitudes(const struct lod_l3_patch *patch, const uint16_t *residuals,
                          uint16_t *magnitudes);

/*
 * A residual of 16 bits as a symbol of 6 and the bits it leaves open: its
 * zigzag form below 16, else its highest bit and the two behind.
 */
#define LOD_SMALL_EXACT  16u
#define LOD_SMALL_TOKENS 64u
static inline unsigned lod_small_open_bits(unsigned token)
{
    return token < LOD_SMALL_EXACT ? 0 : token / 4 - 2;
}

/* `bytes` is the whole patch. -EILSEQ. */
LOD_MUST_CHECK int lod_small_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                                    const struct lod_rans_tables *tables,
                                    const struct lod_l3_target *target,
                                    struct lod_small_rows *rows);

#endif
