/* SPDX-License-Identifier: Apache-2.0 */
/* Converts samples to pixels; see l3_pixels.h. */
#include "l3/l3_pixels.h"

#include "l3/container/container.h"

static bool is_palette(const struct lod_l3_row *row)
{
    return row->out.header.colour == LOD_PNG_PALETTE;
}

uint64_t lod_l3_pixels_chunks(const struct lod_l3_row *row)
{
    return is_palette(row) ? row->container->colours_bytes(row) : 0;
}

struct lod_pixels lod_l3_pixels(const struct lod_l3_row *row)
{
    const struct lod_png_header *header = &row->out.header;

    return (struct lod_pixels){
        .width = header->width,
        .height = header->height,
        .channels = (uint8_t)(!is_palette(row)   ? row->container->channels(row)
                              : row->transparent ? 4
                                                 : 3),
        .sample_bytes = header->depth == 16 ? 2 : 1,
    };
}

uint64_t lod_l3_pixels_band_bytes(const struct lod_l3_row *row)
{
    struct lod_pixels pixels = lod_l3_pixels(row);

    pixels.height = lod_l3_output_rows(&row->out, 0);
    return lod_pixels_bytes(&pixels);
}

uint64_t lod_l3_pixels_cost(const struct lod_l3_row *row)
{
    return lod_l3_row_cost(row) + lod_l3_pixels_band_bytes(row) + lod_l3_pixels_chunks(row);
}

static void paint(const uint8_t *indices, uint32_t width, unsigned channels, const uint8_t *colours,
                  uint8_t *into)
{
    for (uint32_t x = 0; x < width; x++, into += channels) {
        memcpy(into, colours + (size_t)indices[x] * LOD_L3_COLOUR_BYTES, channels);
    }
}

int lod_l3_pixels_band(const struct lod_l3_row *row, struct lod_span chunks, const uint8_t *samples,
                       size_t stride, uint32_t rows, uint8_t *into)
{
    const struct lod_pixels pixels = lod_l3_pixels(row);
    const size_t bytes = (size_t)pixels.width * pixels.channels * pixels.sample_bytes;
    lod_l3_colours colours;
    int error = is_palette(row) ? row->container->colours(chunks, colours) : 0;

    for (uint32_t y = 0; y < rows && !error; y++, samples += stride, into += bytes) {
        if (is_palette(row)) {
            paint(samples, pixels.width, pixels.channels, colours, into);
        } else if (row->container->plain(row)) {
            memcpy(into, samples, bytes);
        } else {
            row->container->pixels(row, samples, into);
        }
    }
    return error;
}
