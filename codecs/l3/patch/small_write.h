/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoder of mode small: chooses the predictors of a patch, counts symbols for the tables, and
 * encodes the patch.
 */
#ifndef LOD_SMALL_WRITE_H
#define LOD_SMALL_WRITE_H

#include "l3/patch/rans_model_write.h"
#include "l3/patch/planes_write.h"

/* The predictors of a patch, chosen for low cost. */
struct lod_small_choice {
    uint8_t predictors[LOD_L3_SAMPLES_MAX * LOD_L3_SIDE_MAX]; /* of runs */
    uint64_t cost; /* comparable between choices of the same step */
};

/*
 * Chooses predictors for every `step`-th row and returns the cost of these rows. A few rows are
 * enough to decide whether to subtract G.
 */
void lod_small_choose(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                      unsigned step, struct lod_small_choice *ret_choice);

/* Working memory of encoding a patch. */
struct lod_small_work {
    uint16_t residuals[LOD_L3_SAMPLES_MAX * LOD_L3_SIDE_MAX][LOD_L3_SIDE_MAX]; /* of runs */
    uint8_t classes[LOD_L3_SAMPLES_MAX * LOD_L3_SIDE_MAX][LOD_L3_SIDE_MAX];
};

void lod_small_count(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                     const struct lod_small_choice *choice, struct lod_small_counts *counts);

/* Encodes the patch and returns its size. `room` must hold the largest patch. */
size_t lod_small_encode(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                        const struct lod_small_choice *choice, const struct lod_small_model *model,
                        struct lod_small_work *work, uint8_t *into, size_t room);

#endif
