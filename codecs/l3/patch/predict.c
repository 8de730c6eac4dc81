/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The six predictors, one sample at a time: the reference for the vector versions. FORMAT.md, L3
 * stream, Predictors.
 */
#include "l3/patch/predict.h"

#include <stdlib.h>

static unsigned paeth(int tl, int t, int tr)
{
    int from_tl = abs(t - tr), from_t = abs(tl + tr - 2 * t), from_tr = abs(t - tl);
    int closest = from_t <= from_tr ? t : tr;

    return (unsigned)(from_tl <= from_t && from_tl <= from_tr ? tl : closest);
}

/* Returns the prediction of the four predictors that use the row above only. */
static inline unsigned from_above(enum lod_l3_predictor predictor, const uint16_t *t)
{
    switch (predictor) {
    case LOD_L3_PAETH:
        return paeth(t[-1], t[0], t[1]);
    case LOD_L3_RIGHT:
        return (t[0] + t[1] + 1u) / 2;
    case LOD_L3_SOFT:
        return (t[-1] + 2u * t[0] + t[1] + 2u) / 4;
    default:
        return t[0];
    }
}

/*
 * Compiles `one` separately for each predictor that uses the row above only; calls `others` for the
 * other two.
 */
#define BY_PREDICTOR(one, others, predictor, ...)                                                  \
    switch (predictor) {                                                                           \
    case LOD_L3_TOP:                                                                               \
        one(LOD_L3_TOP, __VA_ARGS__);                                                              \
        break;                                                                                     \
    case LOD_L3_PAETH:                                                                             \
        one(LOD_L3_PAETH, __VA_ARGS__);                                                            \
        break;                                                                                     \
    case LOD_L3_RIGHT:                                                                             \
        one(LOD_L3_RIGHT, __VA_ARGS__);                                                            \
        break;                                                                                     \
    case LOD_L3_SOFT:                                                                              \
        one(LOD_L3_SOFT, __VA_ARGS__);                                                             \
        break;                                                                                     \
    default:                                                                                       \
        others(predictor, __VA_ARGS__);                                                            \
        break;                                                                                     \
    }

static inline void rebuild(enum lod_l3_predictor predictor, const uint16_t *restrict above,
                           const uint16_t *restrict residuals, uint16_t *restrict row,
                           unsigned width, unsigned mask)
{
    for (unsigned x = 0; x < width; x++) {
        row[x] = (uint16_t)((from_above(predictor, above + x) + residuals[x]) & mask);
    }
}

/*
 * Rebuilds a row of LEFT or SLOPE. A sample is `above[0]` or T, plus the sum of the residuals up to
 * it.
 */
static void rebuild_sums(enum lod_l3_predictor predictor, const uint16_t *restrict above,
                         const uint16_t *restrict residuals, uint16_t *restrict row, unsigned width,
                         unsigned mask)
{
    unsigned sum = 0;

    for (unsigned x = 0; x < width; x++) {
        sum += residuals[x];
        row[x] = (uint16_t)((above[predictor == LOD_L3_SLOPE ? x : 0] + sum) & mask);
    }
}

void lod_l3_row_rebuild(enum lod_l3_predictor predictor, const uint16_t *restrict above,
                        const uint16_t *restrict residuals, uint16_t *restrict row, unsigned width,
                        unsigned mask)
{
    BY_PREDICTOR(rebuild, rebuild_sums, predictor, above, residuals, row, width, mask)
}

static inline void subtract(enum lod_l3_predictor predictor, const uint16_t *restrict above,
                            const uint16_t *restrict row, uint16_t *restrict residuals,
                            unsigned width, unsigned mask)
{
    for (unsigned x = 0; x < width; x++) {
        residuals[x] = (uint16_t)((row[x] - from_above(predictor, above + x)) & mask);
    }
}

/* Not read from the margin: there the left neighbour of the first sample is that sample itself. */
static void subtract_left(enum lod_l3_predictor predictor, const uint16_t *restrict above,
                          const uint16_t *restrict row, uint16_t *restrict residuals,
                          unsigned width, unsigned mask)
{
    bool slope = predictor == LOD_L3_SLOPE;

    residuals[0] = (uint16_t)((unsigned)(row[0] - above[0]) & mask);
    for (unsigned x = 1; x < width; x++) {
        int from = slope ? row[x - 1] + above[x] - above[x - 1] : row[x - 1];
        residuals[x] = (uint16_t)((unsigned)(row[x] - from) & mask);
    }
}

void lod_l3_row_residuals(enum lod_l3_predictor predictor, const uint16_t *restrict above,
                          const uint16_t *restrict row, uint16_t *restrict residuals,
                          unsigned width, unsigned mask)
{
    BY_PREDICTOR(subtract, subtract_left, predictor, above, row, residuals, width, mask)
}
