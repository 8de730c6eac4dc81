/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BMP as a container: 8, 24 and 32 bits a pixel, neither compressed nor with masks. Samples stand
 * as in the file, blue first; rows are filled up to four bytes by zeros. FORMAT.md, l3.
 */
#include "l3/bmp_header.h"
#include "l3/plain_file.h"

#include <errno.h>

#define ROW_ALIGN    4u
#define RGB_CHANNELS 3u

/* A palette ends here at the latest. */
#define COLOURS_END                                                                                \
    (LOD_BMP_AT_SIZE + LOD_BMP_SIZE_MAX + LOD_BMP_COLOURS_MAX * LOD_BMP_COLOUR_BYTES)

static size_t samples_of(const struct lod_l3_row *r)
{
    const struct lod_l3_image image = lod_png_image(&r->out.header);

    return (size_t)lod_l3_row_bytes(&image);
}

static bool take(const uint8_t row[LOD_ROW_BYTES], const struct lod_png_header *header,
                 uint8_t side_log2, struct lod_l3_row *r)
{
    const struct lod_l3_image image = lod_png_image(header);
    const uint32_t upward = lod_get_le32(row + LOD_PLAIN_AT_OWN);

    r->upward = upward;
    return header->depth == 8 && header->colour != LOD_PNG_GRAY_ALPHA && !r->transparent &&
           upward <= 1 &&
           lod_plain_take(row, header, side_log2, lod_round_up(lod_l3_row_bytes(&image), ROW_ALIGN),
                          r);
}

static void put(const struct lod_l3_row *r, uint8_t row[LOD_ROW_BYTES])
{
    lod_plain_put(r, row);
    lod_put_le32(row + LOD_PLAIN_AT_OWN, r->upward);
}

static void band(const struct lod_l3_row *r, uint32_t band, uint8_t *samples, size_t stride,
                 uint8_t *into)
{
    const uint32_t rows = lod_l3_output_rows(&r->out, band);
    const size_t bytes = samples_of(r), padding = (size_t)r->out.row_bytes - bytes;

    for (uint32_t y = 0; y < rows; y++, into += r->out.row_bytes) {
        memcpy(into, samples + (r->upward ? rows - 1 - y : y) * stride, bytes);
        memset(into + bytes, 0, padding);
    }
}

/* The fourth byte of 32 bits means nothing. */
static uint8_t channels(const struct lod_l3_row *r)
{
    return r->out.header.colour == LOD_PNG_GRAY ? 1 : RGB_CHANNELS;
}

static bool plain(const struct lod_l3_row *r)
{
    return r->out.header.colour == LOD_PNG_GRAY;
}

/* Red first, and only three. */
static void pixels(const struct lod_l3_row *r, const uint8_t *samples, uint8_t *into)
{
    const size_t step = lod_png_image(&r->out.header).samples;

    for (uint32_t x = 0; x < r->out.header.width; x++, samples += step, into += RGB_CHANNELS) {
        into[0] = samples[2];
        into[1] = samples[1];
        into[2] = samples[0];
    }
}

static uint64_t colours_bytes(const struct lod_l3_row *r)
{
    return r->front < COLOURS_END ? r->front : COLOURS_END;
}

/* Where entries begin, their number and their bytes; group 8 is not believed. */
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
    .exact = true,
    .take = take,
    .put = put,
    .plan = lod_plain_plan,
    .band = band,
    .channels = channels,
    .plain = plain,
    .pixels = pixels,
    .colours_bytes = colours_bytes,
    .colours = colours,
};
