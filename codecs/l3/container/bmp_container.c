/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BMP as a container, reading: palettes of 1, 4 and 8 bits, and 24 and 32 bits a pixel,
 * uncompressed. Samples keep the order of the file, blue first. Rows are padded with zeros to four
 * bytes. FORMAT.md, l3.
 */
#include "l3/container/bmp_header.h"
#include "l3/container/raster_file.h"

#include <errno.h>

#define RGB_CHANNELS 3u

/* Bits of the container's own field in the row. */
#define UPWARD 1u
#define ALPHA  2u

/* No palette reaches past this offset. */
#define COLOURS_END                                                                                \
    (LOD_BMP_AT_SIZE + LOD_BMP_SIZE_MAX + LOD_BMP_COLOURS_MAX * LOD_BMP_COLOUR_BYTES)

/* Samples below one byte are always palette indices. */
static bool is_depth(const struct lod_png_header *header)
{
    return header->depth == 8 ||
           (header->colour == LOD_PNG_PALETTE && (header->depth == 1 || header->depth == 4));
}

static bool take(const uint8_t row[LOD_ROW_BYTES], const struct lod_png_header *header,
                 uint8_t side_log2, struct lod_l3_row *r)
{
    const uint32_t own = lod_get_le32(row + LOD_RASTER_AT_OWN);

    r->upward = own & UPWARD;
    r->alpha = own & ALPHA;
    return is_depth(header) && header->colour != LOD_PNG_GRAY_ALPHA && !r->transparent &&
           own <= (header->colour == LOD_PNG_RGBA ? UPWARD | ALPHA : UPWARD) &&
           lod_raster_take(row, header, side_log2, LOD_BMP_ROW_ALIGN, r);
}

static void put(const struct lod_l3_row *r, uint8_t row[LOD_ROW_BYTES])
{
    lod_raster_put(r, (r->upward ? UPWARD : 0) | (r->alpha ? ALPHA : 0), row);
}

static uint8_t channels(const struct lod_l3_row *r)
{
    return r->out.header.colour == LOD_PNG_GRAY ? 1 : r->alpha ? RGB_CHANNELS + 1 : RGB_CHANNELS;
}

static bool plain(const struct lod_l3_row *r)
{
    return r->out.header.colour == LOD_PNG_GRAY;
}

/* Reorders to red first. Without alpha the fourth channel is left out. */
static void pixels(const struct lod_l3_row *r, const uint8_t *samples, uint8_t *into)
{
    const size_t step = lod_png_image(&r->out.header).samples, wide = channels(r);

    for (uint32_t x = 0; x < r->out.header.width; x++, samples += step, into += wide) {
        into[0] = samples[2];
        into[1] = samples[1];
        into[2] = samples[0];
        if (r->alpha) {
            into[3] = samples[3];
        }
    }
}

static uint64_t colours_bytes(const struct lod_l3_row *r)
{
    return r->front < COLOURS_END ? r->front : COLOURS_END;
}

/* Finds the offset, number and size of the palette's entries. Group 9 is untrusted input. */
static int find_colours(struct lod_span group, struct lod_span *ret_entries, size_t *ret_step)
{
    const uint32_t size =
        group.bytes < LOD_BMP_CORE_END ? 0 : lod_get_le32(group.at + LOD_BMP_AT_SIZE);
    const bool core = size == LOD_BMP_CORE;

    if ((!core && (size < LOD_BMP_INFO || group.bytes < LOD_BMP_INFO_END)) ||
        size > LOD_BMP_SIZE_MAX || LOD_BMP_AT_SIZE + size > group.bytes) {
        return -EILSEQ;
    }
    const size_t step = core ? RGB_CHANNELS : LOD_BMP_COLOUR_BYTES;
    const size_t room = (group.bytes - LOD_BMP_AT_SIZE - size) / step;
    const uint32_t said = core ? 0 : lod_get_le32(group.at + LOD_BMP_AT_COLOURS);
    size_t count = said && said < LOD_BMP_COLOURS_MAX ? said : LOD_BMP_COLOURS_MAX;
    count = count < room ? count : room;
    *ret_entries =
        (struct lod_span){.at = group.at + LOD_BMP_AT_SIZE + size, .bytes = count * step};
    *ret_step = step;
    return 0;
}

static int colours(struct lod_span group, lod_l3_colours colours)
{
    struct lod_span entries;
    size_t step;
    int error = find_colours(group, &entries, &step);

    if (error) {
        return error;
    }
    for (size_t i = 0; i < LOD_L3_COLOURS; i++) {
        static const uint8_t black[RGB_CHANNELS];
        const uint8_t *entry = i * step < entries.bytes ? entries.at + i * step : black;
        uint8_t *colour = colours + i * LOD_L3_COLOUR_BYTES;
        colour[0] = entry[2];
        colour[1] = entry[1];
        colour[2] = entry[0];
        colour[3] = UINT8_MAX;
    }
    return 0;
}

const struct lod_l3_container lod_l3_container_bmp = {
    .id = LOD_L3_CONTAINER_BMP,
    .ending = ".bmp",
    .exact = true,
    .take = take,
    .put = put,
    .plan = lod_raster_plan,
    .band = lod_raster_band,
    .channels = channels,
    .plain = plain,
    .pixels = pixels,
    .colours_bytes = colours_bytes,
    .colours = colours,
};
