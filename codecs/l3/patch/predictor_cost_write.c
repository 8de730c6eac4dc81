/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the costs of a row under all predictors. Up to 8 bits: sixteen samples at a time, in
 * GCC's generic vectors. Above: sample by sample. Sixteen fields are also one block of mode packed.
 */
#include "l3/patch/predictor_cost_write.h"

#include <string.h>

#include "l3/patch/packed.h"

#ifdef LOD_TARGET_CLONES
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif

#define LANES 16u
typedef int16_t lanes __attribute__((vector_size(2 * LANES)));
#define INLINE static inline __attribute__((always_inline))

/* The running costs of a row, in one of the two measures. */
struct sums {
    enum lod_l3_cost cost;
    lanes magnitudes[LOD_L3_PREDICTORS];
    uint32_t bytes[LOD_L3_PREDICTORS];
};

INLINE lanes load(const uint16_t *at)
{
    lanes value;

    memcpy(&value, at, sizeof(value));
    return value;
}

INLINE lanes magnitude(lanes v)
{
    lanes negative = v >> 15;

    return (v ^ negative) - negative;
}

/* Returns the bitwise OR of all vector elements. */
INLINE unsigned together(lanes v)
{
    uint64_t words[4];

    memcpy(words, &v, sizeof(words));
    uint64_t all = words[0] | words[1] | words[2] | words[3];
    all |= all >> 32;
    return (unsigned)(all | all >> 16) & 0xffffu;
}

INLINE unsigned sum_of(lanes v)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < LANES; i++) {
        sum += (uint16_t)v[i];
    }
    return sum;
}

/*
 * Adds a block's residuals, modulo 2^bits, to the costs of a predictor. `inside` masks the columns
 * that belong to the row.
 */
INLINE void add(struct sums *sums, unsigned predictor, lanes residuals, lanes inside, int up,
                unsigned groups)
{
    lanes r = ((residuals & inside) << up) >> up;

    if (sums->cost == LOD_L3_MAGNITUDES) {
        sums->magnitudes[predictor] += magnitude(r);
    } else {
        unsigned zigzags = together(r << 1 ^ r >> 15);
        sums->bytes[predictor] += groups * lod_l3_width_of(lod_l3_code_of(zigzags));
    }
}

INLINE lanes paeth(lanes tl, lanes t, lanes tr)
{
    lanes from_tl = magnitude(t - tr), from_tr = magnitude(t - tl);
    lanes from_t = magnitude(tl + tr - t - t);
    lanes is_t = from_t <= from_tr, is_tl = (from_tl <= from_t) & (from_tl <= from_tr);
    lanes closest = (t & is_t) | (tr & ~is_t);

    return (tl & is_tl) | (closest & ~is_tl);
}

INLINE void narrow(const struct lod_l3_patch *patch, const uint16_t *above, const uint16_t *row,
                   enum lod_l3_cost cost, uint32_t costs[LOD_L3_PREDICTORS])
{
    struct sums sums = {.cost = cost};
    uint16_t left[LOD_L3_SIDE_MAX], before[LOD_L3_SIDE_MAX];
    const lanes ramp = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    int up = 16 - (int)patch->bits;

    /* The left neighbours for LEFT and SLOPE; those of the first column are T and T. */
    memcpy(left, row - 1, sizeof(left));
    memcpy(before, above - 1, sizeof(before));
    left[0] = above[0];
    before[0] = above[0];
    for (unsigned x = 0; x < patch->width; x += LANES) {
        lanes inside = ramp < (int16_t)(patch->width - x);
        lanes t = load(above + x), tl = load(above + x - 1), tr = load(above + x + 1);
        lanes now = load(row + x), l = load(left + x);
        unsigned groups = (patch->width - x + 7) / 8;
        groups = groups < 2 ? groups : 2;
        add(&sums, LOD_L3_TOP, now - t, inside, up, groups);
        add(&sums, LOD_L3_PAETH, now - paeth(tl, t, tr), inside, up, groups);
        add(&sums, LOD_L3_SLOPE, now - l - t + load(before + x), inside, up, groups);
        add(&sums, LOD_L3_LEFT, now - l, inside, up, groups);
        add(&sums, LOD_L3_RIGHT, now - ((t + tr + 1) >> 1), inside, up, groups);
        add(&sums, LOD_L3_SOFT, now - ((tl + t + t + tr + 2) >> 2), inside, up, groups);
    }
    for (unsigned k = 0; k < LOD_L3_PREDICTORS; k++) {
        costs[k] = cost == LOD_L3_MAGNITUDES ? sum_of(sums.magnitudes[k]) : sums.bytes[k];
    }
}

CLONES static void narrow_magnitudes(const struct lod_l3_patch *patch, const uint16_t *above,
                                     const uint16_t *row, uint32_t costs[LOD_L3_PREDICTORS])
{
    narrow(patch, above, row, LOD_L3_MAGNITUDES, costs);
}

CLONES static void narrow_fields(const struct lod_l3_patch *patch, const uint16_t *above,
                                 const uint16_t *row, uint32_t costs[LOD_L3_PREDICTORS])
{
    narrow(patch, above, row, LOD_L3_FIELDS, costs);
}

static uint32_t magnitudes_of(const uint16_t *residuals, unsigned width)
{
    uint32_t sum = 0;

    for (unsigned x = 0; x < width; x++) {
        int r = (int16_t)residuals[x];
        sum += (unsigned)(r < 0 ? -r : r);
    }
    return sum;
}

static uint32_t fields_of(const uint16_t *residuals, unsigned width)
{
    uint32_t bytes = 0;
    unsigned zigzags = 0;

    for (unsigned x = 0; x < width; x++) {
        int r = (int16_t)residuals[x];
        zigzags |= (unsigned)(r * 2 ^ r >> 15) & 0xffffu;
        if (x % LOD_L3_BLOCK == LOD_L3_BLOCK - 1 || x + 1 == width) {
            unsigned groups = x % LOD_L3_BLOCK / 8 + 1;
            bytes += groups * lod_l3_width_of(lod_l3_code_of(zigzags));
            zigzags = 0;
        }
    }
    return bytes;
}

void lod_l3_row_costs(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                      unsigned plane, unsigned y, enum lod_l3_cost cost,
                      uint32_t ret_costs[LOD_L3_PREDICTORS])
{
    const uint16_t *above = planes->row[plane][y] + LOD_L3_MARGIN;
    const uint16_t *row = planes->row[plane][y + 1] + LOD_L3_MARGIN;

    if (patch->bits < 16 && cost == LOD_L3_MAGNITUDES) {
        narrow_magnitudes(patch, above, row, ret_costs);
    } else if (patch->bits < 16) {
        narrow_fields(patch, above, row, ret_costs);
    }
    for (unsigned k = 0; patch->bits == 16 && k < LOD_L3_PREDICTORS; k++) {
        uint16_t residuals[LOD_L3_SIDE_MAX];
        lod_l3_planes_residuals(patch, planes, plane, y, k, residuals);
        ret_costs[k] = cost == LOD_L3_MAGNITUDES ? magnitudes_of(residuals, patch->width)
                                                 : fields_of(residuals, patch->width);
    }
}
