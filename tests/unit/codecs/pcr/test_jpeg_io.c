/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "pcr/jpeg/jpeg_io.h"
#include "pcr/entropy/scans_write.h"
#include "jpeg_same.h"
#include "pcr_samples.h"

#define MEMORY (64ull << 20)

static const struct sample small = {.width = 40, .height = 30, .h = {2}, .v = {2}};

static struct lod_jpeg *must_read(const struct lod_buf *file)
{
    struct lod_jpeg *jpeg = NULL;
    const char *why = NULL;
    cr_assert_eq(lod_jpeg_read(lod_buf_span(file), MEMORY, &jpeg, &why), 0, "%s", why);
    return jpeg;
}

static void expect_unread(const struct lod_buf *file, uint64_t bytes_max, const char *part)
{
    struct lod_jpeg *jpeg = NULL;
    const char *why = "";
    cr_assert_eq(lod_jpeg_read(lod_buf_span(file), bytes_max, &jpeg, &why), -ENOTSUP);
    cr_assert_not_null(strstr(why, part), "%s", why);
    cr_assert_null(jpeg);
}

static struct lod_script fit_small(const struct lod_script *script)
{
    const uint8_t blocks[4] = {4, 1, 1, 1};
    struct lod_script fitted;
    lod_script_fit(script, 3, blocks, &fitted);
    return fitted;
}

static struct lod_script no_approximation(void)
{
    const char *text = "0,1,2: 0-0, 0, 0; 1: 1-63, 0, 0; 2: 1-63, 0, 0; 0: 1-63, 0, 0";
    struct lod_span span = {.at = (const uint8_t *)text, .bytes = strlen(text)};
    struct lod_script script;
    unsigned line;
    const char *why;
    cr_assert_eq(lod_script_parse("flat", span, &script, &line, &why), 0);
    return script;
}

static const struct lod_jpeg_encode_options fine = {.quality = 95};

Test(jpeg_io, memory_has_a_limit)
{
    struct sample s = {.width = 1000, .height = 800};
    struct lod_buf file = sample_jpeg(&s);

    expect_unread(&file, 1 << 20, "memory limit");
    lod_jpeg_destroy(must_read(&file));
    lod_buf_finish(&file);
}

Test(jpeg_io, damaged_data_is_named_and_harmless_oddities_are_not)
{
    struct lod_buf file = sample_jpeg(&small);
    uint8_t *sos = memmem(file.data, file.bytes, "\xff\xda", 2);

    memcpy(file.data + 11, "\x02\x00", 2); /* JFIF 2.0 */
    lod_jpeg_destroy(must_read(&file));
    sos[13] ^= 1; /* the end of the band, which sequential files ignore */
    lod_jpeg_destroy(must_read(&file));
    size_t bytes = file.bytes;
    file.bytes = (size_t)(sos - file.data) + 100;
    expect_unread(&file, MEMORY, "truncated");
    file.bytes = 100;
    expect_unread(&file, MEMORY, "corrupt");
    file.bytes = 0;
    expect_unread(&file, MEMORY, "corrupt");
    file.bytes = bytes;
    for (unsigned i = 20; i < 60; i++) { /* no Huffman code consists of ones only */
        sos[i] = i & 1 ? 0 : 0xff;
    }
    expect_unread(&file, MEMORY, "corrupt");
    lod_buf_finish(&file);
}

Test(jpeg_io, what_is_written_is_appended_and_holds_the_same)
{
    struct lod_buf file = sample_jpeg(&small), out = {0};
    struct lod_jpeg *jpeg = must_read(&file);
    struct lod_script fitted = fit_small(lod_script_builtin(0));

    cr_assert_eq(lod_buf_append(&out, "before", 6), 0);
    cr_assert_eq(lod_scans_write(jpeg, &fitted, &out), 0);
    cr_assert_eq(memcmp(out.data, "before\xff\xd8\xff\xdb", 10), 0, "nothing between SOI and DQT");
    cr_assert_eq(memcmp(out.data + out.bytes - 2, "\xff\xd9", 2), 0);
    struct lod_buf again = {.data = out.data + 6, .bytes = out.bytes - 6};
    struct lod_jpeg *copy = must_read(&again);
    cr_assert_eq(jpeg_same(jpeg, copy), 0);
    lod_jpeg_destroy(jpeg);
    lod_jpeg_destroy(copy);
    lod_buf_finish(&file);
    lod_buf_finish(&out);
}

Test(jpeg_io, same_finds_every_difference)
{
    const struct sample others[] = {
        {.width = 41, .height = 30, .h = {2}, .v = {2}},
        {.width = 40, .height = 31, .h = {2}, .v = {2}},
        {.width = 40, .height = 30, .h = {2}},
        {.width = 40, .height = 30, .h = {2}, .v = {2}, .space = JCS_RGB},
        {.width = 40, .height = 30, .components = 1},
    };
    struct lod_buf file = sample_jpeg(&small), other;
    struct lod_jpeg *a = must_read(&file), *b;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        other = sample_jpeg(&others[i]);
        b = must_read(&other);
        cr_assert_eq(jpeg_same(a, b), -EBADMSG, "%zu", i);
        cr_assert_eq(jpeg_same(b, a), -EBADMSG, "%zu", i);
        lod_jpeg_destroy(b);
        lod_buf_finish(&other);
    }
    uint8_t *dqt = memmem(file.data, file.bytes, "\xff\xdb", 2);
    dqt[68] ^= 1;
    b = must_read(&file);
    cr_assert_eq(jpeg_same(a, b), -EBADMSG, "one entry of a table");
    lod_jpeg_destroy(b);
    dqt[68] ^= 1;
    uint8_t *sof = memmem(file.data, file.bytes, "\xff\xc0", 2);
    uint8_t *sos = memmem(file.data, file.bytes, "\xff\xda", 2);
    sof[16] = sos[9] = 9;
    b = must_read(&file);
    cr_assert_eq(jpeg_same(a, b), -EBADMSG, "a component's number");
    lod_jpeg_destroy(a);
    lod_jpeg_destroy(b);
    lod_buf_finish(&file);
}

Test(jpeg_io, one_coefficient_is_a_difference)
{
    struct lod_buf file = sample_jpeg(&small), other;

    for (unsigned c = 0; c < 3; c++) {
        other = sample_with_coefficient(lod_buf_span(&file), c, 7);
        struct lod_jpeg *a = must_read(&file), *b = must_read(&other);
        cr_assert_eq(jpeg_same(a, b), -EBADMSG);
        lod_jpeg_destroy(a);
        lod_jpeg_destroy(b);
        lod_buf_finish(&other);
    }
    lod_buf_finish(&file);
}

/* libjpeg refuses a scan with coefficients over 1023, even if the scan drops their low bits. */
Test(jpeg_io, a_coefficient_out_of_range_needs_a_script_that_shifts_it)
{
    struct lod_buf file = sample_jpeg(&small), out = {0};
    struct lod_buf large = sample_with_coefficient(lod_buf_span(&file), 0, 1500);
    struct lod_script flat = no_approximation(), fitted = fit_small(&flat);
    const struct lod_script *scripts[] = {&flat, lod_script_named("default")};
    struct lod_jpeg *jpeg = must_read(&large);

    cr_assert_eq(lod_buf_append(&out, "before", 6), 0);
    cr_assert_eq(lod_scans_write(jpeg, &fitted, &out), -ENOTSUP);
    cr_assert_eq(out.bytes, 6);
    fitted = fit_small(scripts[1]);
    out.bytes = 0;
    cr_assert_eq(lod_scans_write(jpeg, &fitted, &out), 0);
    lod_jpeg_destroy(jpeg);

    struct lod_encoded item = encode_with(lod_buf_span(&out), scripts, 1);
    cr_assert_not_null(item.whole);
    cr_assert_not_null(strstr(item.whole, "range"), "%s", item.whole);
    lod_encoded_finish(&item);
    item = encode_with(lod_buf_span(&out), scripts, 2);
    cr_assert_null(item.whole, "%s", item.whole);
    lod_encoded_finish(&item);
    lod_buf_finish(&file);
    lod_buf_finish(&large);
    lod_buf_finish(&out);
}

Test(jpeg_io, a_write_that_fails_late_leaves_the_buffer_as_it_was)
{
    struct sample s = {.width = 300, .height = 300, .quality = 100};
    struct lod_buf file = sample_jpeg(&s), out = {0};
    struct lod_buf large = sample_with_coefficient(lod_buf_span(&file), 0, 1500);
    struct lod_script flat = no_approximation();
    struct lod_jpeg *jpeg = must_read(&large);

    cr_assert_eq(lod_buf_append(&out, "before", 6), 0);
    cr_assert_eq(lod_scans_write(jpeg, &flat, &out), -ENOTSUP);
    cr_assert_eq(out.bytes, 6);
    cr_assert_gt(out.room, 100000, "nothing was written that could be left behind");
    lod_jpeg_destroy(jpeg);
    lod_buf_finish(&file);
    lod_buf_finish(&large);
    lod_buf_finish(&out);
}

static int decode(const struct lod_buf *file, struct lod_buf *pixels, uint32_t shape[3])
{
    return lod_jpeg_decode(lod_buf_span(file), pixels, &shape[0], &shape[1], &shape[2]);
}

Test(jpeg_io, decode_gives_libjpegs_default_pixels_of_what_is_there)
{
    struct sample s = small;
    struct lod_buf pixels = {0};
    uint32_t shape[3] = {0};

    s.progressive = true;
    struct lod_buf file = sample_jpeg(&s);
    for (unsigned scans = 10; scans >= 1; scans--) {
        sample_cut(&file, scans);
        struct sample_pixels expected = sample_decode(lod_buf_span(&file));
        cr_assert_eq(decode(&file, &pixels, shape), 0);
        cr_assert_eq(shape[0] * 1000000 + shape[1] * 1000 + shape[2], 40030003);
        cr_assert(same_bytes(lod_buf_span(&pixels), lod_buf_span(&expected.pixels)));
        lod_buf_finish(&expected.pixels);
    }
    file.bytes -= 40; /* ends early */
    cr_assert_eq(decode(&file, &pixels, shape), 0);
    file.bytes = 50;
    cr_assert_eq(decode(&file, &pixels, shape), -ENOTSUP);
    lod_buf_finish(&file);

    s = (struct sample){.width = 5, .height = 4, .components = 1};
    file = sample_jpeg(&s);
    uint8_t *sof = memmem(file.data, file.bytes, "\xff\xc0", 2);
    cr_assert_eq(decode(&file, &pixels, shape), 0);
    cr_assert_eq(shape[2], 1);
    cr_assert_eq(pixels.bytes, 20);
    memcpy(sof + 5, "\xff\xd0\xff\xd0", 4); /* 65488 x 65488 */
    cr_assert_eq(decode(&file, &pixels, shape), -E2BIG);
    lod_buf_finish(&file);
    lod_buf_finish(&pixels);
}

/* Gradients come back within two levels at quality 95, gray and RGB; other pixels are refused. */
Test(jpeg_io, encoded_pixels_come_back)
{
    enum { WIDTH = 37, HEIGHT = 21 };
    uint8_t pixels[WIDTH * HEIGHT * 3], back[WIDTH * HEIGHT * 3];

    for (unsigned channels = 1; channels <= 3; channels += 2) {
        struct lod_buf file = {.data = NULL};
        for (unsigned i = 0; i < WIDTH * HEIGHT * channels; i++) {
            const unsigned x = i / channels % WIDTH, y = i / channels / WIDTH;
            pixels[i] = (uint8_t)(20 + 3 * x + 5 * y);
        }
        cr_assert_eq(lod_jpeg_encode(pixels, WIDTH, HEIGHT, channels, &fine, &file), 0);
        cr_assert_eq(
            lod_jpeg_decode_into(lod_buf_span(&file), MEMORY, WIDTH, HEIGHT, channels, back), 0);
        for (unsigned i = 0; i < WIDTH * HEIGHT * channels; i++) {
            cr_assert(abs(back[i] - pixels[i]) <= 2, "%u: %d, %d", i, back[i], pixels[i]);
        }
        lod_buf_finish(&file);
    }
    struct lod_buf none = {.data = NULL};
    cr_expect_eq(lod_jpeg_encode(pixels, WIDTH, HEIGHT, 2, &fine, &none), -EINVAL);
    cr_expect_eq(lod_jpeg_encode(pixels, 0, HEIGHT, 3, &fine, &none), -EINVAL);
    cr_expect_eq(lod_jpeg_encode(pixels, WIDTH, 70000, 3, &fine, &none), -EINVAL);
    cr_expect_eq(none.bytes, 0);
}
