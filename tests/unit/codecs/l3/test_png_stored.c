/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "l3/container/png_stored.h"
#include "png_samples.h"

/* Fills a band's samples, laid out as in l3_image.h. */
static void fill(const struct png_sample *s, uint32_t first, uint32_t rows, uint8_t *into)
{
    const unsigned channels = png_channels(s->colour);

    for (uint32_t y = first; y < first + rows; y++) {
        for (uint32_t i = 0; i < s->width * channels; i++) {
            unsigned value = png_value(s, i / channels, y, i % channels);
            *into++ = (uint8_t)value;
            if (s->depth == 16) {
                *into++ = (uint8_t)(value >> 8);
            }
        }
    }
}

/*
 * Checks that all blocks, band by band, inflate to the rows, and that the checksums equal zlib's.
 */
static void check(const struct png_sample *s, uint8_t side_log2)
{
    const struct lod_png_header header = {
        .width = s->width, .height = s->height, .depth = s->depth, .colour = s->colour};
    struct lod_buf rows = png_rows(s), stream = {0};
    struct lod_png_sums sums = lod_png_stored_sums_begin();
    struct lod_l3_output stored;
    uint8_t open[LOD_PNG_OPEN_BYTES], tail[LOD_PNG_TAIL_BYTES];
    const size_t stride = (size_t)s->width * png_channels(s->colour) * (s->depth == 16 ? 2 : 1);

    cr_assert_eq(lod_png_stored_init(&header, side_log2, &stored), 0);
    lod_png_stored_open(&stored, open);
    png_append(&stream, open + 4, 6);
    for (uint32_t band = 0; band < stored.bands; band++) {
        const uint32_t count = lod_l3_output_rows(&stored, band);
        const uint64_t bytes = lod_l3_output_band_bytes(&stored, band);
        uint8_t *samples = malloc(count * stride);
        fill(s, band << side_log2, count, samples);
        cr_assert_eq(lod_buf_reserve(&stream, bytes), 0);
        lod_png_stored_band(&stored, band, samples, stride, stream.data + stream.bytes);
        lod_png_stored_sums_add(
            &sums, (struct lod_span){.at = stream.data + stream.bytes, .bytes = bytes});
        stream.bytes += bytes;
        free(samples);
    }
    cr_assert_eq(stream.bytes, 6 + stored.bytes);
    sums = lod_png_stored_sums_end(sums);
    lod_png_stored_tail(sums, tail);
    png_append(&stream, tail, 4);
    cr_assert_eq(sums.adler, adler32_z(1, rows.data, rows.bytes));
    cr_assert_eq(sums.crc, crc32_z(0, stream.data, stream.bytes));
    uLongf bytes = rows.bytes + 1;
    uint8_t *inflated = malloc(bytes);
    cr_assert_eq(uncompress(inflated, &bytes, stream.data + 4, stream.bytes - 4), Z_OK);
    cr_assert_eq(bytes, rows.bytes);
    cr_assert_arr_eq(inflated, rows.data, bytes);
    free(inflated);
    lod_buf_finish(&rows);
    lod_buf_finish(&stream);
}

Test(png_stored, inflates_to_the_rows, .timeout = 120)
{
    static const uint8_t kinds[][2] = {{0, 1}, {0, 2},  {0, 4}, {3, 8}, {0, 16},
                                       {2, 8}, {2, 16}, {4, 8}, {6, 16}};
    static const uint32_t sides[][2] = {{1, 1}, {9, 33}, {65, 64}, {1023, 70}, {700, 129}};

    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
            const struct png_sample s = {.width = sides[i][0],
                                         .height = sides[i][1],
                                         .colour = kinds[k][0],
                                         .depth = kinds[k][1],
                                         .noise = 100};
            check(&s, (uint8_t)(5 + i % 3));
        }
    }
}

/* 32 rows of about 65,535 / 32 bytes: one block a band, or two. */
Test(png_stored, blocks_end_where_bands_do)
{
    for (uint32_t width = 2046; width <= 2049; width++) {
        const struct png_sample s = {.width = width, .height = 97, .depth = 8, .noise = 256};
        check(&s, 5);
        check(&s, 7);
    }
}

Test(png_stored, sizes_by_arithmetic)
{
    struct lod_png_header header = {.width = 3840, .height = 2160, .depth = 8, .colour = 2};
    struct lod_l3_output stored;

    cr_assert_eq(lod_png_stored_init(&header, 7, &stored), 0);
    cr_assert_eq(stored.bands, 17);
    cr_assert_eq(stored.row_bytes, 11521);
    cr_assert_eq(stored.band_bytes, 128 * 11521 + 23 * 5); /* 22.5 blocks */
    cr_assert_eq(stored.bytes, 16 * stored.band_bytes + 112 * 11521 + 20 * 5);
    header = (struct lod_png_header){.width = 46340, .height = 46340, .depth = 8};
    cr_assert_eq(lod_png_stored_init(&header, 7, &stored), -E2BIG);
    header.height = 40000;
    cr_assert_eq(lod_png_stored_init(&header, 7, &stored), 0);
    header = (struct lod_png_header){
        .width = 0x7fffffff, .height = 0x7fffffff, .depth = 16, .colour = 6};
    cr_assert_eq(lod_png_stored_init(&header, 7, &stored), -E2BIG);
}
