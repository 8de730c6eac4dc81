/* SPDX-License-Identifier: Apache-2.0 */
/* Loads samples into the planes of a patch, subtracts G, computes residuals and writes fields. */
#include "l3/patch/planes_write.h"

#include <string.h>

#include "l3/patch/predict.h"

static inline void load(const uint8_t *restrict at, unsigned width, unsigned step, bool wide,
                        uint16_t *restrict row)
{
    for (unsigned x = 0; x < width; x++) {
        row[x] = wide ? lod_get_le16(at + (size_t)2 * step * x) : at[(size_t)step * x];
    }
}

/* Loads one sample of each pixel of a row. All loops have a constant step, so they vectorise. */
static void load_row(const struct lod_l3_patch *patch, const uint8_t *at, uint16_t *row)
{
    switch (patch->samples + (patch->bits == 16 ? LOD_L3_SAMPLES_MAX : 0)) {
    case 1:
        load(at, patch->width, 1, false, row);
        break;
    case 3:
        load(at, patch->width, 3, false, row);
        break;
    case 4:
        load(at, patch->width, 4, false, row);
        break;
    default:
        load(at, patch->width, patch->samples, patch->bits == 16, row);
        break;
    }
}

void lod_l3_planes_load(const struct lod_l3_patch *patch, const uint8_t *at, size_t stride,
                        struct lod_l3_planes *planes)
{
    size_t sample_bytes = patch->bits == 16 ? 2 : 1;

    planes->green = false;
    for (unsigned p = 0; p < patch->samples; p++) {
        const uint8_t *first = at + lod_l3_plane_sample(patch, p) * sample_bytes;
        memset(planes->row[p][0], 0, sizeof(lod_l3_row));
        for (unsigned y = 0; y < patch->height; y++) {
            load_row(patch, first + y * stride, planes->row[p][y + 1] + LOD_L3_MARGIN);
            lod_l3_row_close(planes->row[p][y + 1], patch->width);
        }
    }
}

void lod_l3_planes_toggle_green(const struct lod_l3_patch *patch, struct lod_l3_planes *planes)
{
    unsigned mask = lod_l3_sample_mask(patch), flip = planes->green ? 0 : ~0u;

    planes->green = !planes->green;
    for (unsigned i = 0; i < 2 * patch->height; i++) {
        uint16_t *restrict row = planes->row[1 + i % 2][1 + i / 2];
        const uint16_t *restrict g = planes->row[0][1 + i / 2];
        for (unsigned x = 0; x < patch->width + 2 * LOD_L3_MARGIN; x++) {
            row[x] = (uint16_t)((row[x] + (g[x] ^ flip) - flip) & mask);
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
