/* SPDX-License-Identifier: Apache-2.0 */
/* The chooser's rule; choose.h has its definition and the reasons. */
#include "pack/choose.h"

#include <assert.h>

#define MSSIM_LOW  9000
#define MSSIM_HIGH 9900

/* What a comparison of rounded numbers forgives: one unit. */
#define ROUNDING 1.0

#define TOTAL_OVER_MAX 100 /* 1 % of the source's bytes */
#define WASTED_COST    20  /* .2 % */
#define WASTED_SHARE   10  /* of what was left, 1 / 10 */

double lod_choose_bytes_at(const struct lod_mean_curve *curve, int32_t mssim)
{
    int32_t best = curve->mssim[0]; /* of the fidelities so far, reached at `bytes` */
    int32_t bytes = curve->bytes[0];

    for (unsigned k = 1; k < LOD_SCRIPT_GROUPS && best < mssim; k++) {
        if (curve->mssim[k] >= mssim) {
            double part = (double)(mssim - best) / (curve->mssim[k] - best);
            return bytes + (curve->bytes[k] - bytes) * part;
        }
        if (curve->mssim[k] > best) {
            best = curve->mssim[k];
            bytes = curve->bytes[k];
        }
    }
    return best < mssim ? curve->bytes[LOD_SCRIPT_GROUPS - 1] : bytes;
}

/*
 * Both curves bend at whole ten-thousandths only, so that what holds at these holds between them.
 */
bool lod_choose_admits(const struct lod_mean_curve *curve, const struct lod_mean_curve *standard)
{
    unsigned last = LOD_SCRIPT_GROUPS - 1;
    bool admitted = curve->bytes[last] <= standard->bytes[last] + TOTAL_OVER_MAX;

    for (int32_t m = MSSIM_LOW; m <= MSSIM_HIGH && admitted; m++) {
        admitted = lod_choose_bytes_at(curve, m) <= lod_choose_bytes_at(standard, m) + ROUNDING;
    }
    return admitted;
}

unsigned lod_choose_wasted(const struct lod_mean_curve *curve)
{
    unsigned wasted = 0;

    for (unsigned k = 1; k < LOD_SCRIPT_GROUPS; k++) {
        int32_t left = LOD_CHOOSE_UNIT - curve->mssim[k - 1];
        int32_t gained = curve->mssim[k] - curve->mssim[k - 1];
        wasted += gained <= 0 || gained * WASTED_SHARE < left;
    }
    return wasted;
}

double lod_choose_cost(const struct lod_mean_curve *curve)
{
    double sum = 0;

    for (int32_t m = MSSIM_LOW; m <= MSSIM_HIGH; m++) {
        sum += lod_choose_bytes_at(curve, m);
    }
    return sum / (MSSIM_HIGH - MSSIM_LOW + 1) + WASTED_COST * lod_choose_wasted(curve);
}

unsigned lod_choose(const struct lod_mean_curve *curves, unsigned count, unsigned standard)
{
    assert(standard < count);
    unsigned last = LOD_SCRIPT_GROUPS - 1, best = standard;
    double best_cost = lod_choose_cost(&curves[standard]);

    for (unsigned i = 0; i < count; i++) {
        double cost = lod_choose_cost(&curves[i]);
        bool cheaper = cost < best_cost ||
                       (cost <= best_cost && curves[i].bytes[last] < curves[best].bytes[last]);
        if (cheaper && lod_choose_admits(&curves[i], &curves[standard])) {
            best = i;
            best_cost = cost;
        }
    }
    return best;
}
