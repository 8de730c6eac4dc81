/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The six predictors of a row (FORMAT.md, L3 stream, Predictors). T is the
 * sample above, TL and TR are its neighbours, L is the sample to the left.
 * Above the first row all samples are 0; beyond a row's ends its outermost
 * sample goes on; L of the first column is T.
 *
 * All but LEFT and SLOPE see the row above alone, so a row's samples are
 * independent of each other; those two are sums over the row's residuals from
 * its first to its own.
 */
#ifndef LOD_PREDICT_H
#define LOD_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

enum lod_l3_predictor {
    LOD_L3_TOP = 0,   /* T */
    LOD_L3_PAETH = 1, /* of TL, T, TR the closest to TL + TR - T; the first of equals */
    LOD_L3_SLOPE = 2, /* L + T - TL */
    LOD_L3_LEFT = 3,  /* L */
    LOD_L3_RIGHT = 4, /* (T + TR + 1) / 2 */
    LOD_L3_SOFT = 5,  /* (TL + 2 T + TR + 2) / 4 */
    LOD_L3_PREDICTORS = 6,
};

/*
 * A row of `width` samples, all below or equal to `mask`, from its residuals.
 * `above` and `row` point at the first sample; the margins of `above` are set.
 */
void lod_l3_row_rebuild(enum lod_l3_predictor predictor, const uint16_t *restrict above,
                        const uint16_t *restrict residuals, uint16_t *restrict row, unsigned width,
                        unsigned mask);

/* The residuals of a row, modulo mask + 1. The margins of both rows are set. */
void lod_l3_row_residuals(enum lod_l3_predictor predictor, const uint16_t *restrict above,
                          const uint16_t *restrict row, uint16_t *restrict residuals,
                          unsigned width, unsigned mask);

#endif
