/* SPDX-License-Identifier: Apache-2.0 */
/* Patches of mode packed, written. FORMAT.md, L3 stream, packed. */
#include "l3/packed_write.h"

#include <string.h>

#include "l3/packed.h"
#include "l3/predict.h"

/* One run, tried with one predictor. */
struct trial {
    unsigned predictor;
    unsigned bytes;                                /* of its fields */
    uint8_t codes[LOD_L3_SIDE_MAX / LOD_L3_BLOCK]; /* of the blocks' widths */
    uint16_t residuals[LOD_L3_SIDE_MAX];
};

static void measure(const struct lod_l3_patch *patch, const struct lod_l3_packed_map *map,
                    struct trial *trial)
{
    unsigned up = 16 - patch->bits;

    memset(trial->residuals + patch->width, 0,
           (8 * map->groups - patch->width) * sizeof(trial->residuals[0]));
    trial->bytes = 0;
    for (unsigned b = 0; b < map->blocks; b++) {
        unsigned zigzags = 0, end = (b + 1) * LOD_L3_BLOCK;
        end = end < 8 * map->groups ? end : 8 * map->groups;
        for (unsigned x = b * LOD_L3_BLOCK; x < end; x++) {
            int residual = (int16_t)(trial->residuals[x] << up) >> up;
            zigzags |= (unsigned)(residual * 2 ^ residual >> 15) & 0xffffu;
        }
        trial->codes[b] = (uint8_t)lod_l3_code_of(zigzags);
        trial->bytes += lod_l3_width_of(trial->codes[b]) * (end - b * LOD_L3_BLOCK) / 8;
    }
}

size_t lod_l3_packed_encode(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                            uint8_t *into)
{
    struct lod_l3_packed_map map = lod_l3_packed_map(patch);
    uint8_t *at = into + map.payload;
    struct trial trials[2];

    memset(into, 0, map.payload);
    into[0] = (uint8_t)(LOD_L3_KIND_PACKED | (planes->green ? LOD_L3_KIND_GREEN : 0));
    for (unsigned run = 0; run < map.runs; run++) {
        unsigned best = 0;
        trials[0].bytes = UINT32_MAX;
        for (unsigned predictor = 0; predictor < LOD_L3_PREDICTORS; predictor++) {
            struct trial *trial = &trials[!best];
            trial->predictor = predictor;
            lod_l3_planes_residuals(patch, planes, run % patch->samples, run / patch->samples,
                                    predictor, trial->residuals);
            measure(patch, &map, trial);
            best = trial->bytes < trials[best].bytes ? !best : best;
        }
        lod_l3_nibble_put(into + map.predictors, run, trials[best].predictor);
        for (unsigned b = 0; b < map.blocks; b++) {
            lod_l3_nibble_put(into + map.widths + run * map.widths_of_run, b,
                              trials[best].codes[b]);
        }
        for (unsigned g = 0; g < map.groups; g++) {
            unsigned width = lod_l3_width_of(trials[best].codes[g / 2]);
            at = lod_l3_fields_put(at, trials[best].residuals + 8 * g, width, 1u << width >> 1);
        }
    }
    return (size_t)(at - into);
}
