/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes patches in mode paper. The base of a run is its smallest residual. Residuals count as
 * unsigned in the first row and as signed in all others. FORMAT.md, L3 stream, paper.
 */
#include "l3/patch/paper_write.h"

#include <string.h>

#include "l3/patch/paper.h"
#include "l3/patch/predict.h"

struct range {
    int low, high;
};

static struct range range_of(const struct lod_l3_patch *patch, const uint16_t *residuals,
                             bool is_signed)
{
    struct range range = {INT32_MAX, INT32_MIN};
    unsigned up = 16 - patch->bits;

    for (unsigned x = 0; x < patch->width; x++) {
        int value = is_signed ? (int16_t)(residuals[x] << up) >> up : residuals[x];
        range.low = value < range.low ? value : range.low;
        range.high = value > range.high ? value : range.high;
    }
    return range;
}

size_t lod_paper_encode(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                        uint8_t *into)
{
    struct lod_paper_map map = lod_paper_map(patch);
    unsigned mask = lod_l3_sample_mask(patch);
    uint8_t *at = into + map.payload;
    uint16_t residuals[LOD_L3_SIDE_MAX] = {0};

    memset(into, 0, map.payload);
    into[0] = LOD_L3_KIND_PAPER;
    for (unsigned run = 0; run < map.runs; run++) {
        unsigned y = run / patch->samples;
        lod_l3_planes_residuals(patch, planes, run % patch->samples, y, LOD_L3_PAETH, residuals);
        struct range range = range_of(patch, residuals, y > 0);
        unsigned code = lod_l3_code_of((unsigned)(range.high - range.low));
        unsigned base = (unsigned)range.low & mask;
        lod_put_le(into + map.bases + run * map.base_bytes, map.base_bytes, base);
        lod_l3_nibble_put(into + map.widths, run, code);
        for (unsigned x = 0; x < 8 * map.groups; x++) {
            residuals[x] = (uint16_t)(x < patch->width ? (residuals[x] - base) & mask : 0);
        }
        for (unsigned g = 0; g < map.groups; g++) {
            at = lod_l3_fields_put(at, residuals + 8 * g, lod_l3_width_of(code), 0);
        }
    }
    return (size_t)(at - into);
}
