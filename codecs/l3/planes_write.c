/* SPDX-License-Identifier: Apache-2.0 */
/* Samples to the planes of a patch, G subtracted where asked, residuals of their rows, fields. */
#include "l3/planes_write.h"

#include <string.h>

#include "l3/predict.h"

static void load_row(const struct lod_l3_patch *patch, unsigned sample, const uint8_t *at,
                     uint16_t *row)
{
    for (unsigned x = 0; x < patch->width; x++) {
        unsigned i = x * patch->samples + sample;
        row[x] = patch->bits == 16 ? lod_get_le16(at + (size_t)2 * i) : at[i];
    }
}

void lod_l3_planes_load(const struct lod_l3_patch *patch, bool green, const uint8_t *at,
                        size_t stride, struct lod_l3_planes *planes)
{
    unsigned mask = lod_l3_sample_mask(patch);

    planes->green = green;
    for (unsigned p = 0; p < patch->samples; p++) {
        memset(planes->row[p][0], 0, sizeof(lod_l3_row));
        for (unsigned y = 0; y < patch->height; y++) {
            uint16_t *row = planes->row[p][y + 1] + LOD_L3_MARGIN;
            const uint16_t *g = planes->row[0][y + 1] + LOD_L3_MARGIN;
            load_row(patch, lod_l3_plane_sample(patch, p), at + y * stride, row);
            for (unsigned x = 0; green && (p == 1 || p == 2) && x < patch->width; x++) {
                row[x] = (uint16_t)((unsigned)(row[x] - g[x]) & mask);
            }
            lod_l3_row_close(row - LOD_L3_MARGIN, patch->width);
        }
    }
}

void lod_l3_planes_residuals(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                             unsigned plane, unsigned y, unsigned predictor, uint16_t *residuals)
{
    lod_l3_row_residuals(predictor, planes->row[plane][y] + LOD_L3_MARGIN,
                         planes->row[plane][y + 1] + LOD_L3_MARGIN, residuals, patch->width,
                         lod_l3_sample_mask(patch));
}

uint8_t *lod_l3_fields_put(uint8_t *at, const uint16_t *fields, unsigned width, unsigned bias)
{
    unsigned mask = (1u << width) - 1, bits = 0;
    uint64_t held = 0;

    for (unsigned i = 0; i < 8; i++) {
        held |= (uint64_t)((fields[i] + bias) & mask) << bits;
        for (bits += width; bits >= 8; bits -= 8, held >>= 8) {
            *at++ = (uint8_t)held;
        }
    }
    return at;
}
