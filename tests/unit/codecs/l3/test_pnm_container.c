/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>

#include "l3/container/l3_row.h"
#include "raster_samples.h"

Test(pnm_container, files_come_back_byte_for_byte, .timeout = 300)
{
    static const uint32_t sides[][2] = {{1, 1},     {2, 1},    {1, 90},    {33, 31},
                                        {130, 127}, {97, 128}, {300, 259}, {513, 129}};
    static const unsigned maxvals[] = {1, 100, 254, 255, 256, 1000, 4095, 65535};

    for (unsigned i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        for (unsigned m = 0; m < sizeof(maxvals) / sizeof(maxvals[0]); m++) {
            const struct plain_sample s = {.width = sides[i][0],
                                           .height = sides[i][1],
                                           .channels = (i + m) % 2 ? 1 : 3,
                                           .maxval = maxvals[m],
                                           .comment = m % 3 ? NULL : "# one \n #two\r\n\t",
                                           .tail = m % 2 ? 0 : 11};
            plain_comes_back(&s, (uint8_t)(m % 3), s.width * s.height < 10000);
        }
    }
}

Test(pnm_container, bitmaps_come_back_byte_for_byte)
{
    static const uint32_t widths[] = {1, 7, 8, 9, 31, 32, 33, 127, 128, 300, 513};

    for (unsigned i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        struct plain_sample s = {.width = widths[i],
                                 .height = 259,
                                 .channels = 1,
                                 .maxval = 1,
                                 .bits = 1,
                                 .comment = i % 2 ? "#\n" : NULL,
                                 .tail = i % 3};
        plain_comes_back(&s, (uint8_t)(i % 3), s.width < 200);
        s.fill = 1;
        struct lod_buf file = sample_plain(&s);
        cr_assert(s.width % 8 == 0 || plain_why_not(lod_buf_span(&file)));
        lod_buf_finish(&file);
    }
}

/* A unit is made from its own band, at any offset in the file. */
Test(pnm_container, each_unit_alone)
{
    const struct plain_sample s = {.width = 200, .height = 700, .channels = 3, .maxval = 999};
    const struct lod_encode_options options = {.l3_mode = 1};
    struct lod_buf source = sample_plain(&s);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
    struct lod_l3_row row;
    uint8_t *into;

    cr_assert_eq(lod_l3_row_read(item.row, &row), 0);
    cr_assert_gt(row.out.bands, 2);
    into = malloc(row.out.band_bytes);
    for (uint32_t unit = row.out.bands; unit-- > 0;) {
        const size_t bytes = lod_l3_output_band_bytes(&row.out, unit);
        cr_assert_eq(png_make_unit(&item, 0, unit, into, bytes), 0);
        cr_assert_eq(memcmp(into, source.data + row.front + unit * row.out.band_bytes, bytes), 0);
    }
    cr_assert_eq(png_make_unit(&item, 0, row.out.bands, into, 1), -EILSEQ);
    cr_assert_eq(png_make_unit(&item, 2, 0, into, row.out.last_bytes), -EILSEQ, "no last form");
    free(into);
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
}

static void check_decoded(const struct plain_sample *s, const char *ending)
{
    const struct lod_encode_options options = {.l3_mode = 0};
    struct lod_buf source = sample_plain(s);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);
    struct lod_buf file = png_file_at(&item, LOD_FORMAT_DECODED, LOD_Q1);
    const bool is_16bit = s->maxval > 255;
    const size_t samples = (size_t)s->width * s->height * s->channels;
    const uint8_t *at = file.data + file.bytes - samples * (is_16bit ? 2 : 1);

    cr_assert_str_eq(lod_codec_decoded_ending(&lod_codec_l3, item.row), ending);
    for (size_t i = 0; i < samples; i++) {
        const size_t pixel = i / s->channels;
        unsigned value = plain_value(s, (uint32_t)(pixel % s->width), (uint32_t)(pixel / s->width),
                                     (unsigned)(i % s->channels));
        if (is_16bit) {
            cr_assert_eq(lod_get_le16(at + 2 * i), value);
        } else {
            value = s->bits ? !value * 255 : (value * 255 + s->maxval / 2) / s->maxval;
            cr_assert_eq(at[i], value, "%zu: %u, not %u", i, at[i], value);
        }
    }
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
}

Test(pnm_container, pixels)
{
    static const struct plain_sample samples[] = {
        {.width = 150, .height = 140, .channels = 1, .maxval = 255},
        {.width = 150, .height = 140, .channels = 3, .maxval = 255},
        {.width = 150, .height = 140, .channels = 3, .maxval = 77},
        {.width = 150, .height = 140, .channels = 1, .maxval = 1},
        {.width = 150, .height = 140, .channels = 3, .maxval = 1000},
        {.width = 150, .height = 140, .channels = 1, .maxval = 65535},
        {.width = 150, .height = 140, .channels = 1, .maxval = 1, .bits = 1},
    };
    static const char *const endings[] = {".pgm", ".ppm", ".ppm", ".pgm", ".npy", ".npy", ".pgm"};

    for (unsigned i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        check_decoded(&samples[i], endings[i]);
    }
}

/* {header, accepted} of a file of 100 x 90 equal gray pixels. */
Test(pnm_container, headers)
{
    static const struct {
        const char *text;
        bool taken, probed;
    } headers[] = {
        {"P5 100 90 255 ", true, true},
        {"P5\r\n100\r\n90\r\n255\r", true, true},
        {"P5\n# a\n# b\n100 # c\n90\n#d\n255\n", true, true},
        {"P5\t0100 090 0255\n", true, true},
        {"P5 100 90 255#c\n", false, true}, /* ambiguous: where do pixels begin? */
        {"P5 100#c\n 90 255\n", false, true},
        {"P5 100 90", false, true},
        {"P5 100 90 0 ", false, true},
        {"P5 100 90 65536 ", false, true},
        {"P5 0 90 255 ", false, true},
        {"P5 100 0 255 ", false, true},
        {"P5 100 91 255 ", false, true}, /* truncated */
        {"P5 100 90 256 ", false, true},
        {"P5 99999999999 90 255 ", false, true},
        {"P5 2147483647 2147483647 65535 ", false, true},
        {"P6 2147483647 1 65535 ", false, true},
        {"P5 -100 90 255 ", false, false},
        {"P5#c\n100 90 255 ", false, false},
        {"P5100 90 255 ", false, false},
        {"P5 one 90 255 ", false, false},
        {"P4 100 90 ", false, true}, /* rows end inside a byte, and not with zeros */
        {"P4\n104 # c\n90\n", true, true},
        {"P4 104 90", false, true},
        {"P4 0 90 ", false, true},
        {"P4 104 900 ", false, true},
        {"P1 104 90 ", false, false},
        {"P2 100 90 255 ", false, false},
        {"P3 100 90 255 ", false, false},
        {"P7 100 90 255 ", false, false},
    };

    for (unsigned i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        struct lod_buf file = {0};
        png_append(&file, headers[i].text, strlen(headers[i].text));
        for (unsigned k = 0; k < 9000; k++) {
            png_append(&file, "m", 1);
        }
        cr_assert_eq(
            lod_encoder_l3.probe((struct lod_span){.at = file.data, .bytes = LOD_PROBE_BYTES}),
            headers[i].probed, "%s", headers[i].text);
        const char *why = plain_why_not(lod_buf_span(&file));
        cr_assert_eq(why == NULL, headers[i].taken, "%s: %s", headers[i].text, why);
        lod_buf_finish(&file);
    }
}

/* A header longer than the probe sees, and files cut at any byte. */
Test(pnm_container, long_and_short_files)
{
    struct plain_sample s = {.width = 120, .height = 90, .channels = 1, .maxval = 255};
    char comment[101] = "#";

    memset(comment + 1, 'c', sizeof(comment) - 3);
    comment[sizeof(comment) - 2] = '\n';
    s.comment = comment;
    struct lod_buf file = sample_plain(&s);
    cr_assert(lod_encoder_l3.probe((struct lod_span){.at = file.data, .bytes = LOD_PROBE_BYTES}));
    cr_assert_null(plain_why_not(lod_buf_span(&file)));
    for (size_t bytes = 0; bytes < file.bytes; bytes += bytes < 200 ? 1 : 1001) {
        const char *why = plain_why_not((struct lod_span){.at = file.data, .bytes = bytes});
        cr_assert_not_null(why);
        cr_assert(bytes < 150 || strcmp(why, "truncated: it ends inside its pixels") == 0, "%s",
                  why);
    }
    lod_buf_finish(&file);
}
