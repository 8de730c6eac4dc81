/* SPDX-License-Identifier: Apache-2.0 */
/* The rule that chooses a scan script; choose.h defines and explains it. */
#include "pack/scans/choose.h"

#include <assert.h>

#define MSSIM_LOW 9000

/* Tolerance for comparing rounded numbers: one unit. */
#define ROUNDING 1.0

#define TOTAL_OVER_MAX       100 /* 1 % of the source's bytes */
#define TOTAL_OVER_MAX_LIGHT 300
#define WASTED_COST          20 /* .2 % */
#define WASTED_SHARE         10 /* a tenth of the remaining distance to MSSIM 1 */

/* Returns the value at the point of the curve where it first reaches `mssim`. Between two
 * fidelities it is interpolated. Below q1 it is q1's value, above all it is q10's. */
static double value_at(const struct lod_mean_curve *curve, const int32_t *values, int32_t mssim)
{
    int32_t best = curve->mssim[0]; /* the highest so far, reached at `value` */
    int32_t value = values[0];

    for (unsigned k = 1; k < LOD_SCRIPT_GROUPS && best < mssim; k++) {
        if (curve->mssim[k] >= mssim) {
            double part = (double)(mssim - best) / (curve->mssim[k] - best);
            return value + (values[k] - value) * part;
        }
        if (curve->mssim[k] > best) {
            best = curve->mssim[k];
            value = values[k];
        }
    }
    return best < mssim ? values[LOD_SCRIPT_GROUPS - 1] : value;
}

double lod_choose_bytes_at(const struct lod_mean_curve *curve, int32_t mssim)
{
    return value_at(curve, curve->bytes, mssim);
}

/*
 * Both curves are linear between whole ten-thousandths, so it is enough to compare them there.
 */
bool lod_choose_admits(const struct lod_mean_curve *curve, const struct lod_mean_curve *standard,
                       const struct lod_choose_rule *rule)
{
    unsigned last = LOD_SCRIPT_GROUPS - 1;
    int32_t over = rule->light ? TOTAL_OVER_MAX_LIGHT : TOTAL_OVER_MAX;
    bool admitted = curve->bytes[last] <= standard->bytes[last] + over;

    for (int32_t m = MSSIM_LOW; m <= rule->mssim_high && admitted && !rule->light; m++) {
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

double lod_choose_cost(const struct lod_mean_curve *curve, const struct lod_choose_rule *rule)
{
    const double steps = rule->mssim_high - MSSIM_LOW + 1;
    double bytes = 0, decode = 0;

    for (int32_t m = MSSIM_LOW; m <= rule->mssim_high; m++) {
        bytes += value_at(curve, curve->bytes, m);
        decode += value_at(curve, curve->decode, m);
    }
    decode = (decode / steps + curve->decode[LOD_SCRIPT_GROUPS - 1]) / 2 / 2;
    return bytes / steps + WASTED_COST * lod_choose_wasted(curve) + (rule->light ? decode : 0);
}

unsigned lod_choose(const struct lod_mean_curve *curves, unsigned count, unsigned standard,
                    const struct lod_choose_rule *rule)
{
    assert(standard < count);
    unsigned last = LOD_SCRIPT_GROUPS - 1, best = standard;
    double best_cost = lod_choose_cost(&curves[standard], rule);

    for (unsigned i = 0; i < count; i++) {
        double cost = lod_choose_cost(&curves[i], rule);
        bool cheaper = cost < best_cost ||
                       (cost <= best_cost && curves[i].bytes[last] < curves[best].bytes[last]);
        if (cheaper && lod_choose_admits(&curves[i], &curves[standard], rule)) {
            best = i;
            best_cost = cost;
        }
    }
    return best;
}
