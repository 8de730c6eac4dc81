/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The six predictors of a row (FORMAT.md, L3 stream, Predictors). T is the sample above, TL and TR
 * are its neighbours, L is the sample to the left. Above the first row all samples are 0. Beyond
 * its ends a row repeats its outermost sample. L of the first column is T.
 *
 * Four predictors use the row above only, so the samples of a row are independent of each other.
 * LEFT and SLOPE are prefix sums over the row's residuals.
 */
#ifndef LOD_PREDICT_H
#define LOD_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

enum lod_l3_predictor {
    LOD_L3_TOP = 0,   /* T */
    LOD_L3_PAETH = 1, /* of TL, T, TR the closest to TL + TR - T; the first of equally close ones */
    LOD_L3_SLOPE = 2, /* L + T - TL */
    LOD_L3_LEFT = 3,  /* L */
    LOD_L3_RIGHT = 4, /* (T + TR + 1) / 2 */
    LOD_L3_SOFT = 5,  /* (TL + 2 T + TR + 2) / 4 */
    LOD_L3_PREDICTORS = 6,
};

/*
 * Computes a row of `width` samples, each at most `mask`, from its residuals. `above` and `row`
 * point to the first sample; the margins of `above` are set.
 */
void lod_l3_row_rebuild(enum lod_l3_predictor predictor, const uint16_t *restrict above,
                        const uint16_t *restrict residuals, uint16_t *restrict row, unsigned width,
                        unsigned mask);

/* Computes the residuals of a row, modulo mask + 1. The margins of both rows are set. */
void lod_l3_row_residuals(enum lod_l3_predictor predictor, const uint16_t *restrict above,
                          const uint16_t *restrict row, uint16_t *restrict residuals,
                          unsigned width, unsigned mask);

#endif
