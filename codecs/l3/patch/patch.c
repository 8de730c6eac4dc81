/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that all patch coders share: reading fields of a few bits, and turning rows of planes
 * into interleaved samples. FORMAT.md, L3 stream, Patches.
 */
#include "l3/patch/patch.h"

#include <errno.h>
#include <string.h>

/* Returns up to eight bytes as a number; bytes from `end` on count as 0. */
static uint64_t load(const uint8_t *at, const uint8_t *end)
{
    if (end - at >= 8) {
        return lod_get_le64(at);
    }
    return at < end ? lod_get_le(at, (unsigned)(end - at)) : 0;
}

void lod_l3_fields_take(const uint8_t *at, const uint8_t *end, unsigned width, uint16_t fields[8])
{
    /* Four fields take at most 64 bits, and begin at a byte or in the middle of one. */
    uint64_t mask = (1u << width) - 1;
    uint64_t low = load(at, end);
    uint64_t high = width <= 8 ? low >> 4 * width : load(at + width / 2, end) >> width % 2 * 4;

    for (unsigned i = 0; i < 4; i++) {
        fields[i] = (uint16_t)(low >> i * width & mask);
        fields[i + 4] = (uint16_t)(high >> i * width & mask);
    }
}

static inline void store(const uint16_t *plane, unsigned width, unsigned step, bool wide,
                         uint8_t *restrict at)
{
    for (unsigned x = 0; x < width; x++) {
        if (wide) {
            lod_put_le16(at + (size_t)2 * step * x, plane[x]);
        } else {
            at[(size_t)step * x] = (uint8_t)plane[x];
        }
    }
}

/* Writes a plane's samples to their places. All loops have a constant step, so they vectorise. */
static void store_plane(const struct lod_l3_patch *patch, const uint16_t *plane, uint8_t *at)
{
    switch (patch->samples + (patch->bits == 16 ? LOD_L3_SAMPLES_MAX : 0)) {
    case 1:
        store(plane, patch->width, 1, false, at);
        break;
    case 3:
        store(plane, patch->width, 3, false, at);
        break;
    case 4:
        store(plane, patch->width, 4, false, at);
        break;
    default:
        store(plane, patch->width, patch->samples, patch->bits == 16, at);
        break;
    }
}

void lod_l3_row_store(const struct lod_l3_patch *patch, bool green,
                      lod_l3_row planes[LOD_L3_SAMPLES_MAX], unsigned y,
                      const struct lod_l3_target *target)
{
    unsigned mask = lod_l3_sample_mask(patch);
    uint8_t *at = target->into + y * target->stride;

    for (unsigned p = 0; p < patch->samples; p++) {
        const uint16_t *plane = planes[p] + LOD_L3_MARGIN;
        unsigned sample = lod_l3_plane_sample(patch, p);
        uint16_t added[LOD_L3_SIDE_MAX];
        if (green && (p == 1 || p == 2)) {
            for (unsigned x = 0; x < patch->width; x++) {
                added[x] = (uint16_t)((plane[x] + planes[0][LOD_L3_MARGIN + x]) & mask);
            }
            plane = added;
        }
        store_plane(patch, plane, at + sample * (patch->bits == 16 ? 2 : 1));
    }
}

int lod_l3_flat_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                       const struct lod_l3_target *target)
{
    size_t pixel = (size_t)patch->samples * (patch->bits == 16 ? 2 : 1);
    unsigned above = patch->bits < 8 ? 0xffu << patch->bits & 0xffu : 0;

    if (bytes.bytes != 1 + pixel) {
        return -EILSEQ;
    }
    for (size_t i = 1; i <= pixel; i++) {
        if (bytes.at[i] & above) {
            return -EILSEQ;
        }
    }
    for (unsigned x = 0; x < patch->width; x++) {
        memcpy(target->into + x * pixel, bytes.at + 1, pixel);
    }
    for (unsigned y = 1; y < patch->height; y++) {
        memcpy(target->into + y * target->stride, target->into, patch->width * pixel);
    }
    return 0;
}
