/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates the cost of a row's residuals for all predictors at once, so that encoders can choose.
 */
#ifndef LOD_PREDICTOR_COST_WRITE_H
#define LOD_PREDICTOR_COST_WRITE_H

#include "l3/patch/planes_write.h"
#include "l3/patch/predict.h"

enum lod_l3_cost {
    LOD_L3_MAGNITUDES, /* sum of |residual| */
    LOD_L3_FIELDS,     /* bytes of packed fields */
};

/* Computes the costs of row `y` of a plane. */
void lod_l3_row_costs(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                      unsigned plane, unsigned y, enum lod_l3_cost cost,
                      uint32_t ret_costs[LOD_L3_PREDICTORS]);

#endif
