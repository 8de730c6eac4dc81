/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the costs computed with vectors with the same sums computed residual by residual. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "l3/patch/predictor_cost_write.h"
#include "l3/patch/packed.h"

static int residual_at(const uint16_t *residuals, unsigned x, unsigned bits)
{
    int up = 16 - (int)bits;

    return (int16_t)(residuals[x] << up) >> up;
}

static unsigned bits_for(int value)
{
    unsigned bits = 0;

    for (; value != 0 && (value < -(1 << bits) / 2 || value >= (1 << bits) / 2);) {
        bits++;
    }
    return bits;
}

static void expect(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                   unsigned predictor, uint32_t magnitudes, uint32_t fields)
{
    uint16_t residuals[LOD_L3_SIDE_MAX];
    uint32_t sum = 0, bytes = 0;

    lod_l3_planes_residuals(patch, planes, 0, 1, predictor, residuals);
    for (unsigned block = 0; block < patch->width; block += LOD_L3_BLOCK) {
        unsigned most = 0, end = block + LOD_L3_BLOCK;
        end = end < patch->width ? end : patch->width;
        for (unsigned x = block; x < end; x++) {
            int r = residual_at(residuals, x, patch->bits);
            sum += (uint32_t)abs(r);
            most = bits_for(r) > most ? bits_for(r) : most;
        }
        bytes += (most == 15 ? 16 : most) * ((end - block + 7) / 8);
    }
    cr_assert_eq(magnitudes, sum, "%u of %u samples of %u bits", predictor, patch->width,
                 patch->bits);
    cr_assert_eq(fields, bytes, "%u of %u samples of %u bits", predictor, patch->width,
                 patch->bits);
}

Test(predictor_cost_write, sums_are_those_of_the_residuals)
{
    static const unsigned depths[] = {1, 2, 4, 8, 16};
    struct lod_l3_planes *planes = calloc(1, sizeof(*planes));
    uint8_t samples[2 * 2 * LOD_L3_SIDE_MAX];
    uint32_t state = 7;

    for (unsigned i = 0; i < 5 * LOD_L3_SIDE_MAX; i++) {
        struct lod_l3_patch patch = {
            .width = 1 + i / 5, .height = 2, .samples = 1, .bits = depths[i % 5]};
        uint32_t magnitudes[LOD_L3_PREDICTORS], fields[LOD_L3_PREDICTORS];
        for (unsigned at = 0; at < sizeof(samples); at++) {
            state = state * 1664525u + 1013904223u;
            unsigned mask = patch.bits == 16 ? 255 : (1u << patch.bits) - 1;
            samples[at] =
                (uint8_t)(state >> (at / 32 % 2 ? 13 : 9) & (at / 32 % 2 ? 7 : 255) & mask);
        }
        lod_l3_planes_load(&patch, samples, sizeof(samples) / 2, planes);
        lod_l3_row_costs(&patch, planes, 0, 1, LOD_L3_MAGNITUDES, magnitudes);
        lod_l3_row_costs(&patch, planes, 0, 1, LOD_L3_FIELDS, fields);
        for (unsigned k = 0; k < LOD_L3_PREDICTORS; k++) {
            expect(&patch, planes, k, magnitudes[k], fields[k]);
        }
    }
    free(planes);
}
