/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary PBM, PGM and PPM as a container, reading: P4, P5 and P6 of netpbm's pbm(5), pgm(5) and
 * ppm(5). Samples of two bytes have the high byte first; in PBM 1 is black. FORMAT.md, l3.
 */
#include "l3/container/raster_file.h"

static struct lod_l3_image image_of(const struct lod_l3_row *r)
{
    return lod_png_image(&r->out.header);
}

static bool take(const uint8_t row[LOD_ROW_BYTES], const struct lod_png_header *header,
                 uint8_t side_log2, struct lod_l3_row *r)
{
    const uint32_t low = header->depth == 16 ? 256 : 1;
    const bool bits = header->depth == 1 && header->colour == LOD_PNG_GRAY;

    r->maxval = lod_get_le32(row + LOD_RASTER_AT_OWN);
    return (header->colour == LOD_PNG_GRAY || header->colour == LOD_PNG_RGB) &&
           (header->depth >= 8 || bits) && r->maxval >= low && r->maxval < 1u << header->depth &&
           lod_raster_take(row, header, side_log2, 1, r);
}

static void put(const struct lod_l3_row *r, uint8_t row[LOD_ROW_BYTES])
{
    lod_raster_put(r, r->maxval, row);
}

static uint8_t channels(const struct lod_l3_row *r)
{
    return image_of(r).samples;
}

/* Samples of two bytes are shown unscaled: the .npy array has no field for their maximum. */
static bool plain(const struct lod_l3_row *r)
{
    return r->out.header.depth == 16 || (r->out.header.depth == 8 && r->maxval == UINT8_MAX);
}

/* Scales 0 .. maxval to 0 .. 255, the maximum in the header of decoded/. */
static void pixels(const struct lod_l3_row *r, const uint8_t *samples, uint8_t *into)
{
    const struct lod_l3_image image = image_of(r);
    const size_t bytes = (size_t)lod_l3_row_bytes(&image);
    uint8_t scaled[UINT8_MAX + 1];

    for (uint32_t i = 0; i <= UINT8_MAX; i++) {
        const uint32_t value = (i * UINT8_MAX + r->maxval / 2) / r->maxval;
        scaled[i] = (uint8_t)(value < UINT8_MAX ? value : UINT8_MAX);
    }
    if (r->out.header.depth == 1) {
        scaled[0] = UINT8_MAX;
        scaled[1] = 0;
    }
    for (size_t i = 0; i < bytes; i++) {
        into[i] = scaled[samples[i]];
    }
}

const struct lod_l3_container lod_l3_container_pnm = {
    .id = LOD_L3_CONTAINER_PNM,
    .ending = ".pnm",
    .exact = true,
    .take = take,
    .put = put,
    .plan = lod_raster_plan,
    .band = lod_raster_band,
    .channels = channels,
    .plain = plain,
    .pixels = pixels,
};
