/* SPDX-License-Identifier: Apache-2.0 */
/* The encoder of mode small: predictors of a patch, counts for the tables, and
 * the patch itself. */
#ifndef LOD_SMALL_WRITE_H
#define LOD_SMALL_WRITE_H

#include "l3/model_write.h"
#include "l3/planes_write.h"

/* A patch's residuals, predicted as is likely to be cheapest. */
struct lod_small_choice {
    uint8_t predictors[LOD_L3_SAMPLES_MAX * LOD_L3_SIDE_MAX]; /* of runs */
    uint64_t cost;                                            /* comparable between choices */
};

/*
 * Chooses for one row in `step`; the cost is of these rows. To compare two ways
 * to load planes a few rows do.
 */
void lod_small_choose(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                      unsigned step, struct lod_small_choice *ret_choice);

/* What encoding a patch takes. */
struct lod_small_work {
    uint16_t residuals[LOD_L3_SAMPLES_MAX * LOD_L3_SIDE_MAX][LOD_L3_SIDE_MAX]; /* of runs */
    uint8_t classes[LOD_L3_SAMPLES_MAX * LOD_L3_SIDE_MAX][LOD_L3_SIDE_MAX];
};

void lod_small_count(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                     const struct lod_small_choice *choice, struct lod_small_counts *counts);

/* Writes the patch and returns its bytes; `room` bytes at least as many as any
 * patch takes. */
size_t lod_small_encode(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                        const struct lod_small_choice *choice, const struct lod_small_model *model,
                        struct lod_small_work *work, uint8_t *into, size_t room);

#endif
