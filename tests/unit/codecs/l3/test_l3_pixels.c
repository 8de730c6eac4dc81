/* SPDX-License-Identifier: Apache-2.0 */
/* Pixels of l3 items, compared with those computed here from the rows of the packed PNG. */
#include <errno.h>

#include "l3/container/l3_form.h"
#include "l3/l3_pixels.h"
#include "png_samples.h"

/* Returns sample i of a packed row without its filter byte. */
static unsigned sample_at(const uint8_t *row, size_t i, unsigned depth)
{
    if (depth == 16) {
        return (unsigned)row[2 * i] << 8 | row[2 * i + 1];
    }
    return row[i * depth / 8] >> (8 - depth - i * depth % 8) & ((1u << depth) - 1);
}

static void put_sample(struct lod_buf *out, unsigned value, unsigned depth)
{
    uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};

    if (depth < 8) {
        bytes[0] = (uint8_t)(value * 255 / ((1u << depth) - 1));
    }
    png_append(out, bytes, depth == 16 ? 2 : 1);
}

/* Appends a colour of png_samples.h: byte i of PLTE is 37 i, the only byte of tRNS is 0. */
static void put_colour(struct lod_buf *out, unsigned index, bool clear)
{
    uint8_t colour[4];

    for (unsigned c = 0; c < 3; c++) {
        colour[c] = (uint8_t)((3 * index + c) * 37);
    }
    colour[3] = index == 0 ? 0 : 255;
    png_append(out, colour, clear ? 4 : 3);
}

static struct lod_buf wanted_of(const struct png_sample *s)
{
    const struct lod_png_header header = {
        .colour = s->colour, .depth = s->depth, .width = s->width};
    const size_t samples = (size_t)s->width * lod_png_image(&header).samples;
    const size_t row_bytes = 1 + (samples * s->depth + 7) / 8;
    struct lod_buf rows = png_rows(s), wanted = {0};

    for (uint32_t y = 0; y < s->height; y++) {
        const uint8_t *row = rows.data + y * row_bytes + 1;
        for (size_t i = 0; i < samples; i++) {
            unsigned value = sample_at(row, i, s->depth);
            if (s->colour == LOD_PNG_PALETTE) {
                put_colour(&wanted, value, s->transparent);
            } else {
                put_sample(&wanted, value, s->depth);
            }
        }
    }
    lod_buf_finish(&rows);
    return wanted;
}

static const struct {
    uint8_t colour, depth;
    bool transparent;
    const char *ending;
} kinds[] = {
    {0, 1, false, ".pgm"},  {0, 2, false, ".pgm"},  {0, 4, true, ".pgm"},   {0, 8, false, ".pgm"},
    {0, 16, false, ".npy"}, {2, 8, true, ".ppm"},   {2, 16, false, ".npy"}, {3, 1, false, ".ppm"},
    {3, 2, true, ".npy"},   {3, 4, false, ".ppm"},  {3, 8, false, ".ppm"},  {3, 8, true, ".npy"},
    {4, 8, false, ".npy"},  {4, 16, false, ".npy"}, {6, 8, false, ".npy"},  {6, 16, false, ".npy"},
};

static void check(const struct png_sample *s, const char *ending)
{
    const struct lod_encode_options options = {0};
    struct lod_buf source = sample_png(s), wanted = wanted_of(s);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
    struct lod_plan plan;

    cr_assert_null(item.whole, "colour %u depth %u: %s", s->colour, s->depth, item.whole);
    cr_assert_str_eq(lod_codec_decoded_ending(&lod_codec_l3, item.row), ending);
    struct lod_buf file = png_file_at(&item, LOD_FORMAT_DECODED, LOD_Q1);
    cr_assert_eq(lod_codec_plan(&lod_codec_l3, item.row, LOD_FORMAT_DECODED, LOD_FULL, &plan), 0);
    cr_assert_eq(plan.bytes, file.bytes);
    cr_assert_eq(plan.text_bytes + wanted.bytes, file.bytes, "colour %u depth %u", s->colour,
                 s->depth);
    cr_assert_eq(memcmp(file.data + plan.text_bytes, wanted.data, wanted.bytes), 0,
                 "colour %u depth %u", s->colour, s->depth);
    cr_assert_eq(lod_codec_plan(&lod_codec_l3, item.row, LOD_FORMAT_DECODED, LOD_ORIGINAL, &plan),
                 -ENOENT);
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
    lod_buf_finish(&wanted);
    lod_buf_finish(&source);
}

Test(l3_pixels, every_kind_of_png_has_its_pixels)
{
    static const uint32_t sides[][2] = {{33, 31}, {130, 257}, {1, 300}};

    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
            struct png_sample s = {.width = sides[i][0],
                                   .height = sides[i][1],
                                   .colour = kinds[k].colour,
                                   .depth = kinds[k].depth,
                                   .transparent = kinds[k].transparent,
                                   .noise = 3,
                                   .interlaced = i == 1};
            /* A small image is smaller than a stream's head, unless its file has small chunks. */
            s.idat = i != 1 || s.depth < 8 ? 24 : 0;
            check(&s, kinds[k].ending);
        }
    }
}

static struct lod_l3_row row_of(const struct png_sample *s)
{
    const struct lod_encode_options options = {0};
    struct lod_buf source = sample_png(s);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
    struct lod_l3_row row;

    cr_assert_eq(lod_l3_row_read(item.row, &row), 0);
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
    return row;
}

Test(l3_pixels, a_palette_that_is_damaged_or_short)
{
    static const struct png_sample s = {
        .width = 64, .height = 64, .colour = LOD_PNG_PALETTE, .depth = 8, .idat = 24};
    struct lod_l3_row row = row_of(&s);
    static const uint8_t samples[64] = {0, 1, 255};
    uint8_t into[64 * 3], colours[6] = {1, 2, 3, 4, 5, 6};
    struct lod_buf chunks = {0};

    png_chunk(&chunks, "gAMA", "\0\0\xb1\x8f", 4);
    cr_assert_eq(lod_l3_pixels_band(&row, lod_buf_span(&chunks), samples, 64, 1, into), -EILSEQ);
    png_chunk(&chunks, "PLTE", colours, sizeof(colours));
    cr_assert_eq(lod_l3_pixels_band(&row, lod_buf_span(&chunks), samples, 64, 1, into), 0);
    cr_assert_eq(memcmp(into, "\1\2\3\4\5\6\0\0\0\1\2\3", 12), 0, "past the palette: black");
    for (size_t cut = 0; cut < chunks.bytes; cut++) {
        struct lod_span part = {.at = chunks.data, .bytes = cut};
        cr_assert_eq(lod_l3_pixels_band(&row, part, samples, 64, 1, into), -EILSEQ, "%zu", cut);
    }
    memset(chunks.data, 0xff, 4); /* the length of the first chunk */
    cr_assert_eq(lod_l3_pixels_band(&row, lod_buf_span(&chunks), samples, 64, 1, into), -EILSEQ);
    lod_buf_finish(&chunks);
}

Test(l3_pixels, what_would_take_too_much_has_none)
{
    static const struct png_sample s = {
        .width = 64, .height = 64, .colour = LOD_PNG_PALETTE, .depth = 8, .idat = 24};
    struct lod_l3_row row = row_of(&s);
    uint8_t bytes[LOD_ROW_BYTES];

    lod_l3_row_write(&row, bytes);
    cr_assert_str_eq(lod_codec_decoded_ending(&lod_codec_l3, bytes), ".ppm");
    row.chunks = UINT32_MAX; /* each band would read all of group 8 */
    lod_l3_row_write(&row, bytes);
    cr_assert_null(lod_codec_decoded_ending(&lod_codec_l3, bytes));
}
