/* SPDX-License-Identifier: Apache-2.0 */
/* See l3_pixels.h. */
#include "l3/l3_pixels.h"

#include <errno.h>

#define COLOURS      256u
#define COLOUR_BYTES 4u /* red, green, blue, alpha */

static bool is_palette(const struct lod_l3_row *row)
{
    return row->png.header.colour == LOD_PNG_PALETTE;
}

bool lod_l3_pixels_need_chunks(const struct lod_l3_row *row)
{
    return is_palette(row);
}

struct lod_pixels lod_l3_pixels(const struct lod_l3_row *row)
{
    const struct lod_png_header *header = &row->png.header;
    const unsigned samples = lod_png_image(header).samples;

    return (struct lod_pixels){
        .width = header->width,
        .height = header->height,
        .channels = (uint8_t)(!is_palette(row)   ? samples
                              : row->transparent ? 4
                                                 : 3),
        .sample_bytes = header->depth == 16 ? 2 : 1,
    };
}

uint64_t lod_l3_pixels_band_bytes(const struct lod_l3_row *row)
{
    struct lod_pixels pixels = lod_l3_pixels(row);

    pixels.height = lod_png_stored_rows(&row->png, 0);
    return lod_pixels_bytes(&pixels);
}

uint64_t lod_l3_pixels_cost(const struct lod_l3_row *row)
{
    return lod_l3_row_cost(row) + lod_l3_pixels_band_bytes(row) +
           (is_palette(row) ? row->chunks : 0);
}

static uint32_t get_be32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The contents of the first chunk of a type; bytes 0: there is none. */
static struct lod_span find_chunk(struct lod_span chunks, const char *type)
{
    while (chunks.bytes >= LOD_PNG_CHUNK_BYTES) {
        const uint64_t bytes = get_be32(chunks.at);
        const uint64_t whole = bytes + LOD_PNG_CHUNK_BYTES;
        if (whole > chunks.bytes) {
            break;
        }
        if (memcmp(chunks.at + 4, type, 4) == 0) {
            return (struct lod_span){.at = chunks.at + 8, .bytes = bytes};
        }
        chunks = (struct lod_span){.at = chunks.at + whole, .bytes = chunks.bytes - whole};
    }
    return (struct lod_span){0};
}

static int read_palette(struct lod_span chunks, uint8_t colours[COLOURS * COLOUR_BYTES])
{
    struct lod_span plte = find_chunk(chunks, "PLTE"), alpha = find_chunk(chunks, "tRNS");

    if (plte.bytes < 3) {
        return -EILSEQ;
    }
    for (unsigned i = 0; i < COLOURS; i++) {
        uint8_t *colour = colours + (size_t)i * COLOUR_BYTES;
        memset(colour, 0, 3);
        if (3 * i + 3 <= plte.bytes) {
            memcpy(colour, plte.at + (size_t)3 * i, 3);
        }
        colour[3] = i < alpha.bytes ? alpha.at[i] : 0xff;
    }
    return 0;
}

static void paint(const uint8_t *indices, uint32_t width, unsigned channels, const uint8_t *colours,
                  uint8_t *into)
{
    for (uint32_t x = 0; x < width; x++, into += channels) {
        memcpy(into, colours + (size_t)indices[x] * COLOUR_BYTES, channels);
    }
}

/* 1, 2 and 4 bits to 8, by repeating them. */
static void scale(const uint8_t *samples, size_t bytes, unsigned depth, uint8_t *into)
{
    const unsigned factor = 255u / ((1u << depth) - 1);

    for (size_t i = 0; i < bytes; i++) {
        into[i] = (uint8_t)(samples[i] * factor);
    }
}

int lod_l3_pixels_band(const struct lod_l3_row *row, struct lod_span chunks, const uint8_t *samples,
                       size_t stride, uint32_t rows, uint8_t *into)
{
    const struct lod_pixels pixels = lod_l3_pixels(row);
    const size_t bytes = (size_t)pixels.width * pixels.channels * pixels.sample_bytes;
    uint8_t colours[COLOURS * COLOUR_BYTES];
    int error = is_palette(row) ? read_palette(chunks, colours) : 0;

    for (uint32_t y = 0; y < rows && !error; y++, samples += stride, into += bytes) {
        if (is_palette(row)) {
            paint(samples, pixels.width, pixels.channels, colours, into);
        } else if (row->png.header.depth < 8) {
            scale(samples, bytes, row->png.header.depth, into);
        } else {
            memcpy(into, samples, bytes);
        }
    }
    return error;
}
