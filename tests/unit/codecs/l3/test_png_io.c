/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "l3/container/png_io.h"
#include "png_samples.h"

/* Decodes the file and checks the samples. */
static void check(const struct png_sample *s)
{
    struct lod_buf file = sample_png(s);
    struct lod_png_layout layout;
    const char *why = "";
    const unsigned channels = png_channels(s->colour), wide = s->depth == 16 ? 2 : 1;

    cr_assert_eq(lod_png_scan(lod_buf_span(&file), &layout, &why), 0, "%s", why);
    uint8_t *samples = malloc((size_t)s->width * s->height * channels * wide), *at = samples;
    cr_assert_eq(lod_png_decode(lod_buf_span(&file), &layout, samples, &why), 0, "%s", why);
    for (uint32_t y = 0; y < s->height; y++) {
        for (uint32_t i = 0; i < s->width * channels; i++, at += wide) {
            unsigned value = at[0] | (wide == 2 ? (unsigned)at[1] << 8 : 0);
            cr_assert_eq(value, png_value(s, i / channels, y, i % channels));
        }
    }
    free(samples);
    lod_buf_finish(&file);
}

Test(png_io, samples_of_every_kind)
{
    static const uint8_t kinds[][2] = {{0, 1}, {0, 2},  {0, 4},  {0, 8}, {0, 16},
                                       {2, 8}, {2, 16}, {3, 1},  {3, 2}, {3, 4},
                                       {3, 8}, {4, 8},  {4, 16}, {6, 8}, {6, 16}};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (uint32_t side = 1; side <= 37; side += 3) {
            const struct png_sample s = {.width = side,
                                         .height = 38 - side,
                                         .colour = kinds[k][0],
                                         .depth = kinds[k][1],
                                         .interlaced = side % 2,
                                         .transparent = side % 4 == 3 && kinds[k][0] < 4,
                                         .level = 6,
                                         .idat = side % 3 ? 7 : 0,
                                         .noise = 60};
            check(&s);
        }
    }
}

/* Decodes a file whose image data is `bytes` deflated zeros, with `cut` removed or `more` added. */
static int decode_zeros(uint32_t bytes, size_t cut, size_t more, const char **why)
{
    struct png_sample s = {.width = 10, .height = 10, .depth = 8, .colour = 2};
    struct lod_buf file = sample_png(&s);
    struct lod_png_layout layout;
    uint8_t packed[4096] = {0}, samples[300], *zeros = calloc(1, bytes);
    uLongf packed_bytes = sizeof(packed) - more;

    cr_assert_eq(lod_png_scan(lod_buf_span(&file), &layout, why), 0);
    cr_assert_eq(compress2(packed, &packed_bytes, zeros, bytes, 9), Z_OK);
    struct lod_buf idat = {0};
    png_chunk(&idat, "IDAT", packed, packed_bytes + more - cut);
    layout.idat = lod_buf_span(&idat);
    int error = lod_png_decode(lod_buf_span(&file), &layout, samples, why);
    free(zeros);
    lod_buf_finish(&idat);
    lod_buf_finish(&file);
    return error;
}

Test(png_io, data_of_another_size_is_refused)
{
    const char *why = NULL;

    cr_assert_eq(decode_zeros(310, 0, 0, &why), 0);
    cr_assert_eq(decode_zeros(309, 0, 0, &why), -ENOTSUP);
    cr_assert_not_null(why);
    cr_assert_eq(decode_zeros(311, 0, 0, &why), -ENOTSUP);
    cr_assert_eq(decode_zeros(50000, 0, 0, &why), -ENOTSUP);
    cr_assert_eq(decode_zeros(310, 1, 0, &why), -ENOTSUP); /* a byte of the Adler-32 */
    cr_assert_eq(decode_zeros(310, 0, 9, &why), -ENOTSUP);
}

Test(png_io, damaged_data_is_refused)
{
    const struct png_sample s = {
        .width = 40, .height = 40, .depth = 8, .colour = 2, .level = 6, .noise = 20};
    struct lod_buf file = sample_png(&s);
    struct lod_png_layout layout;
    uint8_t samples[4800], inflated[4840];
    const char *why = NULL;

    cr_assert_eq(lod_png_scan(lod_buf_span(&file), &layout, &why), 0);
    struct lod_buf idat = {0};
    for (size_t at = 0; at < layout.idat.bytes - 12; at++) {
        idat.bytes = 0;
        png_append(&idat, layout.idat.at, layout.idat.bytes);
        idat.data[8 + at] ^= 0x10;
        png_put_be32(idat.data + idat.bytes - 4, crc32_z(0, idat.data + 4, idat.bytes - 8));
        layout.idat = lod_buf_span(&idat);
        int error = lod_png_decode(lod_buf_span(&file), &layout, samples, &why);
        /* Rarely, changed rows have the same Adler-32. Then zlib must accept them too. */
        uLongf bytes = sizeof(inflated);
        int z = uncompress(inflated, &bytes, idat.data + 8, idat.bytes - 12);
        cr_assert_eq(error, z == Z_OK ? 0 : -ENOTSUP, "byte %zu: %d", at, error);
        idat.data[8 + at] ^= 0x10;
        layout.idat.at = file.data + 33;
    }
    lod_buf_finish(&idat);
    lod_buf_finish(&file);
}
