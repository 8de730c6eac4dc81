/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "l3/container/l3_row.h"
#include "l3/stream/l3_stream_write.h"
#include "png_samples.h"

#define TEXT "Comment\0made by hand"

static struct lod_buf some_chunks(void)
{
    struct lod_buf chunks = {0};
    png_chunk(&chunks, "gAMA", "\0\0\xb1\x8f", 4);
    png_chunk(&chunks, "tEXt", TEXT, sizeof(TEXT) - 1);
    png_chunk(&chunks, "prIv", "anything", 8); /* safe to copy */
    return chunks;
}

/*
 * Checks the file: the source's IHDR but not interlaced, its chunks in order, one IDAT with a
 * correct CRC that inflates to the rows, IEND.
 */
static void expect_png(const struct png_sample *s, struct lod_span source, struct lod_span file)
{
    struct lod_png_layout from, to;
    struct lod_buf rows = png_rows(s);
    const char *why = "";

    cr_assert_eq(lod_png_scan(source, &from, &why), 0, "%s", why);
    cr_assert_eq(lod_png_scan(file, &to, &why), 0, "%s", why);
    cr_assert_eq(to.header.width, s->width);
    cr_assert_eq(to.header.height, s->height);
    cr_assert_eq(to.header.depth, s->depth);
    cr_assert_eq(to.header.colour, s->colour);
    cr_assert_not(to.header.interlaced);
    cr_assert_eq(to.after.bytes, 0);
    cr_assert_eq(to.before.bytes, from.before.bytes + from.after.bytes);
    cr_assert_arr_eq(to.before.at, from.before.at, from.before.bytes);
    cr_assert(from.after.bytes == 0 ||
              memcmp(to.before.at + from.before.bytes, from.after.at, from.after.bytes) == 0);
    uLongf bytes = rows.bytes + 1;
    uint8_t *inflated = malloc(bytes);
    cr_assert_eq(uncompress(inflated, &bytes, to.idat.at + 8, to.idat.bytes - 12), Z_OK);
    cr_assert_eq(bytes, rows.bytes);
    cr_assert_arr_eq(inflated, rows.data, bytes);
    free(inflated);
    lod_buf_finish(&rows);
}

static void check(const struct png_sample *s, uint8_t mode)
{
    const struct lod_encode_options options = {.l3_mode = mode};
    struct lod_buf source = sample_png(s);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
    struct lod_plan plan;

    cr_assert_null(item.whole, "%ux%u colour %u depth %u: %s", s->width, s->height, s->colour,
                   s->depth, item.whole);
    for (unsigned fidelity = LOD_Q1; fidelity <= LOD_FULL; fidelity += 5) {
        struct lod_buf file = png_file_at(&item, LOD_FORMAT_TREE, (enum lod_fidelity)fidelity);
        expect_png(s, lod_buf_span(&source), lod_buf_span(&file));
        lod_buf_finish(&file);
    }
    cr_assert_eq(lod_codec_plan(&lod_codec_l3, item.row, LOD_FORMAT_TREE, LOD_ORIGINAL, &plan),
                 -ENOENT);
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
}

static const uint8_t kinds[][2] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
                                   {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

Test(l3, every_kind_of_png_comes_back, .timeout = 300)
{
    static const uint32_t sides[][2] = {{1, 1},   {7, 1},    {1, 9},    {8, 8},
                                        {33, 31}, {130, 65}, {129, 257}};
    struct lod_buf chunks = some_chunks();

    for (size_t k = 0; k < KINDS; k++) {
        for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
            struct png_sample s = {.width = sides[i][0],
                                   .height = sides[i][1],
                                   .colour = kinds[k][0],
                                   .depth = kinds[k][1],
                                   .noise = i % 2 ? 8 : 2,
                                   .before = i % 3 ? lod_buf_span(&chunks) : (struct lod_span){0},
                                   .idat = i % 2 ? 100 : 0,
                                   .transparent = k % 2 && kinds[k][0] < 4};
            /* A tiny image is smaller than a stream's head, unless its file has tiny chunks. */
            s.idat = s.width * s.height < 100                   ? 2
                     : s.width * s.height < 4096 || s.depth < 8 ? 24
                                                                : s.idat;
            check(&s, (uint8_t)(i % LOD_L3_MODES));
            s.interlaced = true;
            check(&s, LOD_L3_SMALL);
        }
    }
    lod_buf_finish(&chunks);
}

/* Returns a pixel's value as in decoded/: channel c, low byte first. */
static unsigned pixel_at(const struct png_sample *s, uint32_t x, uint32_t y, unsigned c)
{
    unsigned value = png_value(s, x, y, s->colour == LOD_PNG_PALETTE ? 0 : c);

    if (s->colour == LOD_PNG_PALETTE && c < 3) { /* as png_put_palette has them */
        return (uint8_t)((3 * value + c) * 37);
    }
    if (s->colour == LOD_PNG_PALETTE) {
        return value == 0 ? 0 : 255;
    }
    return s->depth < 8 ? value * 255 / ((1u << s->depth) - 1) : value;
}

static void check_decoded(const struct png_sample *s)
{
    static const char *const endings[] = {"", ".pgm", ".npy", ".ppm", ".npy"};
    const struct lod_encode_options options = {0};
    const unsigned wide = s->depth == 16 ? 2 : 1;
    const unsigned channels =
        s->colour == LOD_PNG_PALETTE ? 3 + (unsigned)s->transparent : png_channels(s->colour);
    struct lod_buf source = sample_png(s);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
    struct lod_buf file = png_file_at(&item, LOD_FORMAT_DECODED, LOD_FULL);
    const uint64_t bytes = (uint64_t)s->width * s->height * channels * wide;
    const uint8_t *at = file.data + file.bytes - bytes;

    cr_assert_null(item.whole, "%s", item.whole);
    cr_assert_str_eq(lod_codec_decoded_ending(&lod_codec_l3, item.row),
                     wide == 2 ? ".npy" : endings[channels]);
    for (uint32_t y = 0; y < s->height; y++) {
        for (uint32_t i = 0; i < s->width * channels; i++, at += wide) {
            unsigned value = at[0] | (wide == 2 ? (unsigned)at[1] << 8 : 0);
            cr_assert_eq(value, pixel_at(s, i / channels, y, i % channels), "%u %u: %u, %u",
                         s->colour, s->depth, i, y);
        }
    }
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
}

Test(l3, every_kind_of_png_is_decoded, .timeout = 120)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct png_sample s = {
            .width = 61, .height = 300, .colour = kinds[k][0], .depth = kinds[k][1], .noise = 2};
        s.idat = s.depth < 8 ? 24 : 0;
        check_decoded(&s);
        s.transparent = s.colour == LOD_PNG_PALETTE;
        check_decoded(&s);
    }
}

Test(l3, a_whole_png_has_no_decoded_form)
{
    const struct lod_encode_options options = {0};
    const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    struct lod_encoded item =
        png_encode((struct lod_span){.at = signature, .bytes = sizeof(signature)}, &options);
    struct lod_plan plan;

    cr_assert_null(lod_codec_decoded_ending(&lod_codec_l3, item.row));
    cr_assert_eq(lod_codec_plan(&lod_codec_l3, item.row, LOD_FORMAT_DECODED, LOD_FULL, &plan),
                 -ENOENT);
    lod_encoded_finish(&item);
}

Test(l3, colours_of_a_palette_may_be_clear)
{
    const struct lod_encode_options options = {0};
    struct png_sample s = {.width = 99, .height = 50, .colour = LOD_PNG_PALETTE, .depth = 8};

    for (unsigned clear = 0; clear < 2; clear++) {
        s.transparent = clear;
        struct lod_buf source = sample_png(&s);
        struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
        struct lod_l3_row row;
        cr_assert_eq(lod_l3_row_read(item.row, &row), 0);
        cr_assert_eq(row.transparent, clear == 1);
        cr_assert_eq(item.row[1], clear ? LOD_L3_PALETTE_ALPHA : LOD_PNG_PALETTE);
        lod_encoded_finish(&item);
        lod_buf_finish(&source);
    }
}

Test(l3, a_kept_source_is_the_original)
{
    const struct lod_encode_options options = {.keep = true};
    const struct png_sample s = {.width = 64, .height = 40, .colour = 2, .depth = 8, .noise = 9};
    struct lod_buf source = sample_png(&s);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
    struct lod_buf original = png_file_at(&item, LOD_FORMAT_TREE, LOD_ORIGINAL);
    struct lod_buf full = png_file_at(&item, LOD_FORMAT_TREE, LOD_FULL);

    cr_assert_eq(lod_row_flags(item.row), LOD_ITEM_KEPT);
    cr_assert_eq(original.bytes, source.bytes);
    cr_assert_arr_eq(original.data, source.data, source.bytes);
    expect_png(&s, lod_buf_span(&source), lod_buf_span(&full));
    lod_buf_finish(&full);
    lod_buf_finish(&original);
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
}

/* A band needs the head of its stream and its own bytes only: the rest may be damaged. */
Test(l3, a_band_is_made_from_its_own_patches)
{
    const struct lod_encode_options options = {0};
    const struct png_sample s = {.width = 700, .height = 700, .colour = 2, .depth = 8, .noise = 90};
    struct lod_buf source = sample_png(&s);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
    struct lod_buf *stream = &item.group[LOD_L3_GROUP_STREAM - 1];
    struct lod_l3_row row;

    cr_assert_eq(lod_l3_row_read(item.row, &row), 0);
    cr_assert_gt(row.out.bands, 4);
    cr_assert_gt(stream->bytes, 4 * 65536);
    const size_t bytes = row.out.band_bytes;
    uint8_t *before = malloc(bytes), *after = malloc(bytes);
    cr_assert_eq(png_make_unit(&item, 0, 0, before, bytes), 0);
    memset(stream->data + stream->bytes / 2, 0x5a, stream->bytes - stream->bytes / 2);
    cr_assert_eq(png_make_unit(&item, 0, 0, after, bytes), 0);
    cr_assert_arr_eq(before, after, bytes);
    free(before);
    free(after);
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
}

/* Any stream: making a unit fills exactly its bytes or returns -EILSEQ. */
Test(l3, damaged_streams_are_refused_or_made, .timeout = 300)
{
    const struct png_sample s = {.width = 200, .height = 150, .colour = 6, .depth = 8, .noise = 4};
    struct lod_buf source = sample_png(&s);

    for (uint8_t mode = 0; mode < LOD_L3_MODES; mode++) {
        const struct lod_encode_options options = {.l3_mode = mode};
        struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
        struct lod_buf *stream = &item.group[LOD_L3_GROUP_STREAM - 1];
        struct lod_l3_row row;
        uint32_t state = 1;
        unsigned refused = 0;

        cr_assert_null(item.whole);
        cr_assert_eq(lod_l3_row_read(item.row, &row), 0);
        uint8_t *into = malloc(row.out.bytes);
        for (unsigned i = 0; i < 400; i++) {
            state = state * 1664525u + 1013904223u;
            size_t at = state >> 8, old;
            at %= i % 2 ? 200 : stream->bytes;
            old = stream->data[at];
            stream->data[at] ^= (uint8_t)(1u << (state & 7));
            uint64_t unit = row.out.bands > 1 ? i % row.out.bands : 0;
            int error = png_make_unit(&item, 0, unit, into,
                                      lod_l3_output_band_bytes(&row.out, (uint32_t)unit));
            cr_assert(error == 0 || error == -EILSEQ, "%d", error);
            refused += error != 0;
            stream->data[at] = (uint8_t)old;
        }
        cr_assert_gt(refused, 20);
        free(into);
        lod_encoded_finish(&item);
    }
    lod_buf_finish(&source);
}
