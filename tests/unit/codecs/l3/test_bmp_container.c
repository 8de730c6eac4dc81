/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>

#include "l3/container/l3_row.h"
#include "l3/l3_whole.h"
#include "raster_samples.h"

#define AT_PIXELS      10
#define AT_SIZE        14
#define AT_WIDTH       18
#define AT_HEIGHT      22
#define AT_PLANES      26
#define AT_BITS        28
#define AT_COMPRESSION 30
#define AT_COLOURS     46

static const struct plain_sample plain = {.width = 101, .height = 300, .channels = 3, .header = 40};

Test(bmp_container, files_come_back_byte_for_byte, .timeout = 300)
{
    static const uint32_t sides[][2] = {{1, 1},    {3, 2},     {31, 64},  {130, 127},
                                        {97, 128}, {301, 259}, {202, 512}};
    static const unsigned headers[] = {12, 40, 52, 56, 64, 108, 124};

    for (unsigned i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        for (unsigned h = 0; h < sizeof(headers) / sizeof(headers[0]); h++) {
            struct plain_sample s = {.width = sides[i][0],
                                     .height = sides[i][1],
                                     .channels = h % 3 == 0   ? 1
                                                 : h % 3 == 1 ? 3
                                                              : 4,
                                     .header = headers[h],
                                     .downward = headers[h] != 12 && (i + h) % 2,
                                     .gap = i % 3 == 1 ? 9 : 0,
                                     .tail = i % 2 ? 3 : 0};
            s.palette = s.channels > 1 ? NO_PALETTE : i % 2 ? GRAY_PALETTE : COLOUR_PALETTE;
            plain_comes_back(&s, (uint8_t)(h % 3), s.width * s.height < 10000);
        }
    }
}

/*
 * Depths below one byte, and alpha, with every header and with sides that end inside bytes and
 * padding.
 */
Test(bmp_container, bits_and_masks_come_back_byte_for_byte, .timeout = 300)
{
    static const uint32_t widths[] = {1, 2, 7, 8, 9, 31, 32, 33, 130, 301};
    static const unsigned headers[] = {12, 40, 52, 56, 64, 108, 124};

    for (unsigned i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        for (unsigned h = 0; h < 3 * sizeof(headers) / sizeof(headers[0]); h++) {
            struct plain_sample s = {.width = widths[i],
                                     .height = 131,
                                     .channels = h % 3 == 2 ? 4 : 1,
                                     .header = headers[h / 3],
                                     .downward = headers[h / 3] != 12 && (i + h) % 2,
                                     .palette = h % 3 == 2 ? NO_PALETTE : COLOUR_PALETTE,
                                     .bits = h % 3 == 2 ? 0
                                             : h % 3    ? 4
                                                        : 1,
                                     .alpha = h % 3 == 2 && headers[h / 3] != 12 &&
                                              headers[h / 3] != 52 && headers[h / 3] != 64};
            plain_comes_back(&s, (uint8_t)(h % 3), s.width < 130);
        }
    }
}

/* A file that begins with its bottom row begins with the last band, which may be shorter. */
Test(bmp_container, each_unit_alone)
{
    const struct lod_encode_options options = {.l3_mode = 1};
    struct lod_buf source = sample_plain(&plain);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
    struct lod_l3_row row;
    uint8_t *into;

    cr_assert_eq(lod_l3_row_read(item.row, &row), 0);
    cr_assert(row.upward && row.out.bands > 2 && row.out.last_bytes < row.out.band_bytes);
    into = malloc(row.out.band_bytes);
    const uint8_t *pixels = source.data + row.front;
    cr_assert_eq(png_make_unit(&item, 2, 0, into, row.out.last_bytes), 0);
    cr_assert_eq(memcmp(into, pixels, row.out.last_bytes), 0);
    for (uint32_t unit = 0; unit + 1 < row.out.bands; unit++) {
        const size_t at = row.out.last_bytes + unit * row.out.band_bytes;
        cr_assert_eq(png_make_unit(&item, 0, unit, into, row.out.band_bytes), 0);
        cr_assert_eq(memcmp(into, pixels + at, row.out.band_bytes), 0, "unit %u", unit);
    }
    cr_assert_eq(png_make_unit(&item, 0, row.out.bands - 1, into, row.out.band_bytes), -EILSEQ);
    cr_assert_eq(png_make_unit(&item, 2, 1, into, row.out.last_bytes), -EILSEQ);
    free(into);
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
}

/* Returns channel c of a pixel under decoded/. */
static unsigned wanted(const struct plain_sample *s, uint32_t x, uint32_t y, unsigned c)
{
    return s->palette ? plain_colour(s, plain_value(s, x, y, 0), c) : plain_value(s, x, y, c);
}

static void check_decoded(const struct plain_sample *s, const char *ending)
{
    const struct lod_encode_options options = {.l3_mode = 0};
    struct lod_buf source = sample_plain(s);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
    struct lod_buf file = png_file_at(&item, LOD_FORMAT_DECODED, LOD_FULL);
    struct lod_buf native = png_file_at(&item, LOD_FORMAT_NATIVE, LOD_FULL);
    const unsigned channels = s->palette == GRAY_PALETTE ? 1 : s->alpha ? 4 : 3;
    const size_t bytes = (size_t)s->width * s->height * channels;
    const uint8_t *at = file.data + file.bytes - bytes;
    uint8_t *again = malloc(bytes);
    struct lod_l3_whole whole;

    cr_assert_str_eq(lod_codec_decoded_ending(&lod_codec_l3, item.row), ending);
    for (size_t i = 0; i < bytes; i++) {
        const uint32_t pixel = (uint32_t)(i / channels);
        const unsigned value =
            wanted(s, pixel % s->width, pixel / s->width, (unsigned)(i % channels));
        cr_assert_eq(at[i], value, "%zu: %u, not %u", i, at[i], value);
    }
    cr_assert_eq(lod_l3_whole_open(lod_buf_span(&native), &whole), 0);
    cr_assert_eq(lod_l3_whole_is_plain(&whole), s->palette == GRAY_PALETTE);
    cr_assert_eq(lod_l3_whole_pixels(&whole, NULL, again), 0);
    cr_assert_eq(memcmp(at, again, bytes), 0);
    free(again);
    lod_buf_finish(&native);
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
}

Test(bmp_container, pixels)
{
    for (unsigned i = 0; i < 10; i++) {
        static const unsigned channels[] = {3, 4, 1, 1, 1};
        static const enum plain_palette palettes[] = {NO_PALETTE, NO_PALETTE, GRAY_PALETTE,
                                                      COLOUR_PALETTE, COLOUR_PALETTE};
        const struct plain_sample s = {.width = 141,
                                       .height = 200,
                                       .channels = channels[i % 5],
                                       .palette = palettes[i % 5],
                                       .header = i % 5 == 4 ? 12 : 40,
                                       .downward = i >= 5 && i % 5 != 4,
                                       .gap = i};
        check_decoded(&s, s.palette == GRAY_PALETTE ? ".pgm" : ".ppm");
    }
    for (unsigned i = 0; i < 12; i++) {
        const struct plain_sample s = {.width = 137 + i,
                                       .height = 150,
                                       .channels = i % 3 == 2 ? 4 : 1,
                                       .palette = i % 3 == 2 ? NO_PALETTE : COLOUR_PALETTE,
                                       .bits = i % 3 == 2 ? 0
                                               : i % 3    ? 4
                                                          : 1,
                                       .header = i < 6 ? 40 : 124,
                                       .alpha = i % 3 == 2,
                                       .downward = i % 2};
        check_decoded(&s, s.alpha ? ".npy" : ".ppm");
    }
}

/* A palette of 20 entries: higher indices are black. */
Test(bmp_container, short_palettes)
{
    struct plain_sample s = plain;
    s.channels = 1;
    s.palette = COLOUR_PALETTE;
    struct lod_buf file = sample_plain(&s);
    const struct lod_encode_options options = {.l3_mode = 0};

    lod_put_le32(file.data + AT_COLOURS, 20);
    struct lod_encoded item = png_encode(lod_buf_span(&file), &options);
    struct lod_buf pixels = png_file_at(&item, LOD_FORMAT_DECODED, LOD_FULL);
    const uint8_t *at = pixels.data + pixels.bytes - (size_t)3 * s.width * s.height;
    for (uint32_t x = 0; x < s.width; x++) {
        const unsigned value = plain_value(&s, x, 0, 0);
        cr_assert_eq(at[3 * x], value < 20 ? plain_colour(&s, value, 0) : 0);
    }
    lod_buf_finish(&pixels);
    lod_encoded_finish(&item);
    lod_put_le32(file.data + AT_COLOURS, 257);
    cr_assert_not_null(plain_why_not(lod_buf_span(&file)));
    lod_buf_finish(&file);
}

Test(bmp_container, what_is_not_taken)
{
    static const struct {
        unsigned at, bytes;
        uint32_t value;
        bool probed;
    } changes[] = {
        {AT_COMPRESSION, 4, 1, true},
        {AT_COMPRESSION, 4, 3, true},
        {AT_BITS, 2, 1, true},
        {AT_BITS, 2, 4, true},
        {AT_BITS, 2, 16, true},
        {AT_BITS, 2, 8, true}, /* its palette would reach into the pixels */
        {AT_WIDTH, 4, 0, true},
        {AT_WIDTH, 4, 0xffffff00, true},
        {AT_WIDTH, 4, 0x7fffffff, true},
        {AT_HEIGHT, 4, 0, true},
        {AT_HEIGHT, 4, 0x80000000, true},
        {AT_HEIGHT, 4, 0x7fffffff, true},
        {AT_HEIGHT, 4, 301, true},
        {AT_HEIGHT, 4, 0u - 301u, true},
        {AT_PIXELS, 4, 53, true},
        {AT_PIXELS, 4, 0xffffffff, true},
        {AT_PLANES, 2, 2, false},
        {AT_SIZE, 4, 41, false},
        {AT_SIZE, 4, 0xffffffff, false},
        {0, 2, 0x4142, false},
    };
    struct lod_buf file = sample_plain(&plain);

    cr_assert_null(plain_why_not(lod_buf_span(&file)));
    for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        uint8_t before[4];
        memcpy(before, file.data + changes[i].at, 4);
        for (unsigned k = 0; k < changes[i].bytes; k++) {
            file.data[changes[i].at + k] = (uint8_t)(changes[i].value >> 8 * k);
        }
        cr_assert_eq(lod_encoder_l3.probe(lod_buf_span(&file)), changes[i].probed, "change %u", i);
        cr_assert_not_null(plain_why_not(lod_buf_span(&file)), "change %u", i);
        memcpy(file.data + changes[i].at, before, 4);
    }
    for (size_t bytes = 0; bytes < file.bytes; bytes += bytes < 200 ? 1 : 1001) {
        cr_assert_not_null(plain_why_not((struct lod_span){.at = file.data, .bytes = bytes}));
    }
    lod_buf_finish(&file);
}

/*
 * Masks in another order, with more or fewer bits, and headers where the same field means
 * otherwise.
 */
Test(bmp_container, other_masks_are_not_taken)
{
    static const unsigned headers[] = {40, 56, 124};

    for (unsigned h = 0; h < 3; h++) {
        struct plain_sample s = plain;
        s.channels = 4;
        s.alpha = true;
        s.header = headers[h];
        struct lod_buf file = sample_plain(&s);
        cr_assert_null(plain_why_not(lod_buf_span(&file)));
        for (unsigned at = AT_COMPRESSION; at < 70; at++) {
            file.data[at] ^= 0x40;
            if (at < AT_COMPRESSION + 4 || at >= 54) {
                cr_assert_not_null(plain_why_not(lod_buf_span(&file)), "%u of %u", at, headers[h]);
            }
            file.data[at] ^= 0x40;
        }
        lod_put_le32(file.data + 66, 0); /* no alpha */
        cr_assert_null(plain_why_not(lod_buf_span(&file)));
        lod_put_le32(file.data + AT_PIXELS, 69);
        cr_assert_not_null(plain_why_not(lod_buf_span(&file)));
        lod_put_le32(file.data + AT_PIXELS, 14 + 124 + 16);
        lod_put_le32(file.data + AT_SIZE, 64);
        cr_assert_not_null(plain_why_not(lod_buf_span(&file)), "a header of OS/2");
        lod_buf_finish(&file);
    }
}

Test(bmp_container, bits_behind_the_last_pixel_are_zeros)
{
    for (unsigned bits = 1; bits <= 4; bits += 3) {
        struct plain_sample s = plain;
        s.channels = 1;
        s.palette = COLOUR_PALETTE;
        s.bits = bits;
        struct lod_buf file = sample_plain(&s);
        uint8_t *last =
            file.data + file.bytes - ((s.width * bits + 31) / 32 * 4) + (s.width * bits - 1) / 8;
        cr_assert_null(plain_why_not(lod_buf_span(&file)));
        *last |= 1; /* 101 pixels end inside a byte */
        cr_assert_str_eq(plain_why_not(lod_buf_span(&file)), "the padding of its rows is not zero");
        lod_buf_finish(&file);
    }
}

Test(bmp_container, rows_are_filled_up_with_zeros)
{
    struct plain_sample s = plain;
    s.fill = 1;
    struct lod_buf file = sample_plain(&s);

    cr_assert_str_eq(plain_why_not(lod_buf_span(&file)), "the padding of its rows is not zero");
    lod_buf_finish(&file);
}
