/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of lossless images: which get them, what their rows may say, what is made of them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "encoder.h"
#include "l3/container/container.h"
#include "l3/container/l3_make.h"
#include "l3/container/level_rules.h"
#include "l3/container/word_free.h"
#include "l3/l3_file.h"
#include "l3/levels.h"
#include "pcr/jpeg/jpeg_io.h"
#include "raster_samples.h"

#define AT_LEVELS 41

/* --------------------------------------------------------------------------------- words */

static void check_row(const char *before, const char *after, size_t bytes)
{
    uint8_t row[16];

    memcpy(row, before, bytes);
    lod_word_free_row(row, bytes);
    cr_expect_arr_eq(row, after, bytes);
}

Test(levels, rows_hold_no_part_of_the_word_that_a_neighbour_could_complete)
{
    check_row("\x0a\x23\xd7\xce\x01", "\x0a\x23\xd7\xcf\x01", 5);
    check_row("\xce\xce\xd7\xce\xce", "\xcf\xce\xd7\xcf\xce", 5);
    check_row("\x01\x0a", "\x01\x0b", 2);
    check_row("\x0a\x23", "\x0a\x24", 2);
    check_row("\x23\xd7", "\x23\xd8", 2);
    check_row("\xd7\xce", "\xd7\xcf", 2);
    check_row("\xce", "\xcf", 1);
    check_row("\xd7", "\xd8", 1);
    check_row("\x0a\x23\xd7\x01", "\x0a\x23\xd7\x01", 4);
}

Test(levels, words_are_found_at_multiples_of_four_of_the_file)
{
    static const uint8_t bytes[] = {0, 0, 0x0a, 0x23, 0xd7, 0xce, 0, 0};

    for (unsigned offset = 0; offset < 8; offset++) {
        cr_expect_eq(lod_word_in(bytes, sizeof(bytes), offset), offset % 4 == 2);
    }
    cr_expect_not(lod_word_in(bytes, 5, 2));
}

/*
 * Gray rows of one stored block. The Adler-32 of the data is 0a23d7ce if the sum of its bytes is
 * d7ce - 1, and that of the sums after each byte, with the row's bytes, is 0a23 modulo 65,521.
 */
#define SUM_A 0xd7ceu
#define SUM_B 0x0a23u
#define MOD   65521u

/* Moves ones from byte to byte until the Adler-32 is the word: a stays, b changes by the distance.
 */
static void aim(uint8_t *data, size_t bytes)
{
    for (unsigned tries = 0; tries < 1u << 24; tries++) {
        const uint32_t adler = (uint32_t)adler32_z(1, data, bytes);
        const uint32_t off = (SUM_B + MOD - (adler >> 16)) % MOD;
        if (off == 0) {
            return;
        }
        /* One taken from byte j and added to byte i < j makes b larger by j - i. */
        const size_t step = off < bytes - 3 ? off : bytes - 3;
        for (size_t i = 1; i + step < bytes; i++) {
            if (data[i] < 250 && data[i + step] > 5) {
                data[i]++;
                data[i + step]--;
                break;
            }
        }
    }
}

Test(levels, checksums_that_are_the_word_are_not_written)
{
    const struct lod_png_header header = {.width = 500, .height = 1, .depth = 8};
    struct lod_l3_output out;
    uint8_t samples[500], data[501] = {0}, made[600] = {0};

    cr_assert_eq(lod_png_stored_init(&header, 7, &out), 0);
    memset(data + 1, (int)((SUM_A - 1) / 500), 500);
    data[1] = (uint8_t)(data[1] + (SUM_A - 1) % 500 % 100);
    for (unsigned left = (SUM_A - 1) % 500 - (SUM_A - 1) % 500 % 100, i = 2; left; left--, i++) {
        data[i]++;
    }
    aim(data, sizeof(data));
    cr_assert_eq(adler32_z(1, data, sizeof(data)), 0x0a23d7ceu);
    memcpy(samples, data + 1, sizeof(samples));
    for (uint64_t offset = 0; offset < 4; offset++) {
        lod_png_stored_band(&out, 0, samples, sizeof(samples), made);
        lod_png_stored_sum(&out, offset, made);
        const bool bad = (offset + out.bytes) % 4 == 0;
        cr_expect_not(lod_word_in(made + out.bytes, 8, offset + out.bytes));
        cr_expect_eq(made[out.bytes - 1], samples[499] + (bad ? 1 : 0));
        cr_expect_eq((uint32_t)adler32_z(1, made + 5, 501),
                     (uint32_t)made[out.bytes] << 24 | (uint32_t)made[out.bytes + 1] << 16 |
                         (uint32_t)made[out.bytes + 2] << 8 | made[out.bytes + 3]);
    }
}

/* --------------------------------------------------------------------------------- items */

/* Slopes with grain, as a photograph has. */
static struct lod_buf photograph(uint32_t width, uint32_t height, unsigned channels)
{
    struct lod_buf file = {0};
    char head[64];
    uint32_t state = 7;

    png_append(&file, head,
               (size_t)snprintf(head, sizeof(head), "P%c\n%u %u\n255\n", channels == 3 ? '6' : '5',
                                width, height));
    for (uint32_t i = 0; i < width * height * channels; i++) {
        const uint32_t x = i / channels % width, y = i / channels / width;
        state = state * 1664525 + 1013904223;
        const uint8_t value = (uint8_t)(60 + (x + 2 * y) / 8 + 20 * (i % channels) + (state >> 28));
        png_append(&file, &value, 1);
    }
    return file;
}

static struct lod_encoded encoded(struct lod_buf *file)
{
    const struct lod_encode_options options = {0};
    struct lod_encoded item = {0};

    cr_assert_eq(lod_encoder_l3_levels.encode(lod_buf_span(file), &options, &item), 0);
    lod_buf_finish(file);
    cr_assert_null(item.whole);
    return item;
}

static struct lod_l3_row row_of(const struct lod_encoded *item)
{
    struct lod_l3_row row;

    cr_assert_eq(lod_l3_row_read(item->row, &row), 0);
    return row;
}

Test(levels, a_photograph_has_groups_of_its_row_and_a_copy_of_its_head)
{
    for (unsigned channels = 1; channels <= 3; channels += 2) {
        struct lod_buf file = photograph(200, 160, channels);
        struct lod_encoded item = encoded(&file);
        const struct lod_l3_row row = row_of(&item);
        uint64_t segments[LOD_GROUPS_MAX], levels = 0;

        cr_assert_null(item.exact, "%s", item.exact);
        cr_assert_eq(lod_codec_segments(&lod_codec_l3, item.row, segments), 0);
        for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
            cr_expect_eq(segments[i], item.group[i].bytes);
            levels += i < LOD_L3_LEVELS ? segments[i] : 0;
        }
        cr_expect(levels * LOD_L3_LEVEL_SHARE <= row.stream);
        cr_expect_eq(segments[0], row.chunks + row.level[0]);
        cr_expect_arr_eq(item.group[0].data, item.group[8].data, row.chunks);
        cr_expect_eq(row.level[2] == 0, channels == 1); /* chroma */
        cr_expect_eq(lod_l3_level_of(&row, LOD_Q1), 1);
        cr_expect_eq(lod_l3_level_of(&row, 3), channels == 1 ? 2 : 3);
        cr_expect_eq(lod_l3_level_of(&row, 9), lod_l3_level_of(&row, 7));
        cr_expect_eq(lod_l3_level_of(&row, LOD_Q10), 0);
        cr_expect_eq(lod_l3_level_of(&row, LOD_FULL), 0);
        cr_expect_eq(lod_l3_level_of(&row, LOD_ORIGINAL), 0);
        lod_encoded_finish(&item);
    }
}

/* The JPEG of a level, as `need` asks for it. */
static struct lod_buf jpeg_of(const struct lod_encoded *item, const struct lod_l3_row *row,
                              unsigned level)
{
    static const uint8_t eoi[] = {0xff, 0xd9};
    struct lod_buf jpeg = {0};

    png_append(&jpeg, item->group[0].data + row->chunks, row->level[0]);
    for (unsigned i = 1; i < level; i++) {
        png_append(&jpeg, item->group[i].data, item->group[i].bytes);
    }
    png_append(&jpeg, eoi, sizeof(eoi));
    return jpeg;
}

Test(levels, pixels_and_file_are_what_libjpeg_makes_but_for_the_word)
{
    struct lod_buf file = photograph(211, 150, 3), pixels = {0};
    struct lod_encoded item = encoded(&file);
    const struct lod_l3_row row = row_of(&item);
    uint32_t width, height, channels;

    for (unsigned level = 1; level <= LOD_L3_LEVELS; level++) {
        struct lod_buf jpeg = jpeg_of(&item, &row, level);
        cr_assert_eq(lod_jpeg_decode(lod_buf_span(&jpeg), &pixels, &width, &height, &channels), 0);
        for (uint32_t y = 0; y < height; y++) {
            lod_word_free_row(pixels.data + (size_t)y * 211 * 3, 211 * 3);
        }
        for (unsigned form = LOD_L3_FORM_LEVEL; form <= LOD_L3_FORM_LEVEL_PIXELS; form += 16) {
            const uint64_t bytes = lod_l3_level_bytes(&row, form + level);
            uint8_t *made = malloc(bytes);
            cr_assert_eq(bytes, pixels.bytes); /* rows of a PPM are its pixels */
            cr_assert_eq(lod_l3_level_make(&row, form + level, lod_buf_span(&jpeg), made), 0);
            cr_expect_arr_eq(made, pixels.data, bytes);
            free(made);
        }
        lod_buf_finish(&jpeg);
    }
    lod_buf_finish(&pixels);
    lod_encoded_finish(&item);
}

/* The row's cost is an upper limit of libjpeg's memory, which is refused more. */
Test(levels, memory_of_the_row_is_enough_for_any_sides)
{
    static const uint32_t sides[][2] = {{200, 160}, {33, 1500}, {1999, 40}, {257, 129}};

    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        struct lod_buf file = photograph(sides[i][0], sides[i][1], i % 2 ? 1 : 3);
        struct lod_encoded item = encoded(&file);
        const struct lod_l3_row row = row_of(&item);
        const unsigned form = LOD_L3_FORM_LEVEL + lod_l3_level_of(&row, 9);
        struct lod_buf jpeg = jpeg_of(&item, &row, lod_l3_level_of(&row, 9));
        uint8_t *made = malloc(lod_l3_level_bytes(&row, form));

        cr_assert_null(item.exact, "%ux%u: %s", sides[i][0], sides[i][1], item.exact);
        cr_expect_eq(lod_l3_level_make(&row, form, lod_buf_span(&jpeg), made), 0);
        free(made);
        lod_buf_finish(&jpeg);
        lod_encoded_finish(&item);
    }
}

Test(levels, jpegs_of_other_sides_kinds_or_that_end_are_refused)
{
    struct lod_buf file = photograph(200, 160, 3), other = photograph(200, 168, 3);
    struct lod_buf gray = photograph(200, 160, 1);
    struct lod_encoded items[] = {encoded(&other), encoded(&gray)}, item = encoded(&file);
    const struct lod_l3_row row = row_of(&item);
    const unsigned form = LOD_L3_FORM_LEVEL + 1;
    uint8_t *made = malloc(lod_l3_level_bytes(&row, form));

    for (unsigned i = 0; i < 2; i++) {
        const struct lod_l3_row wrong = row_of(&items[i]);
        struct lod_buf jpeg = jpeg_of(&items[i], &wrong, 1);
        cr_expect_eq(lod_l3_level_make(&row, form, lod_buf_span(&jpeg), made), -EILSEQ);
        lod_buf_finish(&jpeg);
        lod_encoded_finish(&items[i]);
    }
    struct lod_buf jpeg = jpeg_of(&item, &row, 1);
    struct lod_span cut = {.at = jpeg.data, .bytes = jpeg.bytes - 100};
    cr_expect_eq(lod_l3_level_make(&row, form, cut, made), -EILSEQ);
    cut.bytes = 0;
    cr_expect_eq(lod_l3_level_make(&row, form, cut, made), -EILSEQ);
    free(made);
    lod_buf_finish(&jpeg);
    lod_encoded_finish(&item);
}

/* ---------------------------------------------------------------------------------- rows */

static int read_changed(const struct lod_encoded *item, unsigned at, uint8_t value)
{
    struct lod_l3_row row;
    uint8_t bytes[LOD_ROW_BYTES];

    memcpy(bytes, item->row, sizeof(bytes));
    bytes[at] = value;
    return lod_l3_row_read(bytes, &row);
}

Test(levels, rows_that_contradict_their_levels_are_malformed)
{
    struct lod_buf file = photograph(200, 160, 3);
    struct lod_encoded item = encoded(&file);

    cr_assert_eq(read_changed(&item, 0, 0), 0);
    cr_expect_eq(read_changed(&item, AT_LEVELS + 2, 1), -EILSEQ); /* over 1/11 */
    cr_expect_eq(read_changed(&item, AT_LEVELS + 20, 1), -EILSEQ);
    cr_expect_eq(read_changed(&item, 62, 1), -EILSEQ);
    cr_expect_eq(read_changed(&item, 63, 1), -EILSEQ);
    cr_expect_eq(read_changed(&item, 32, 254), -EILSEQ); /* maxval */
    cr_expect_eq(read_changed(&item, AT_LEVELS + 18, 0), 0);
    item.row[AT_LEVELS] = item.row[AT_LEVELS + 1] = 0;
    cr_expect_eq(read_changed(&item, 0, 0), -EILSEQ); /* no level 1, but others */
    memset(item.row + AT_LEVELS, 0, 21);
    cr_expect_eq(read_changed(&item, 0, 0), 0);
    lod_encoded_finish(&item);
}

Test(levels, images_of_other_kinds_or_too_large_have_none)
{
    struct lod_buf file = photograph(200, 160, 3);
    struct lod_encoded item = encoded(&file);
    struct lod_l3_row row = row_of(&item);

    cr_assert(lod_l3_level_is_allowed(&row) && lod_l3_level_fits(&row));
    row.out.header.width = 65501;
    cr_expect_not(lod_l3_level_fits(&row));
    row.out.header.width = 5000;
    row.out.header.height = 2900;
    row.out.bytes = 5000ull * 2900 * 3;
    cr_expect(lod_l3_level_fits(&row)); /* 14.5 megapixels of 9 bytes each */
    row.out.header.height = 3100;
    cr_expect_not(lod_l3_level_fits(&row));
    row.out.header.depth = 16;
    cr_expect_not(lod_l3_level_is_allowed(&row));
    row.out.header.depth = 8;
    row.out.header.colour = LOD_PNG_RGBA;
    cr_expect_not(lod_l3_level_is_allowed(&row));
    row.container = &lod_l3_container_bmp;
    row.out.header.colour = LOD_PNG_GRAY;
    cr_expect_not(lod_l3_level_is_allowed(&row));
    lod_encoded_finish(&item);
}

Test(levels, a_native_file_has_none)
{
    struct lod_buf file = photograph(200, 160, 3), native = {0};
    struct lod_encoded item = encoded(&file);
    uint8_t head[LOD_L3_FILE_HEAD_BYTES];
    struct lod_l3_file opened;

    lod_l3_file_head(item.row, head);
    png_append(&native, head, sizeof(head));
    png_append(&native, item.group[7].data, item.group[7].bytes);
    png_append(&native, item.group[8].data, item.group[8].bytes);
    cr_expect_eq(lod_l3_file_open(lod_buf_span(&native), &opened), 0);
    cr_expect_not(lod_l3_has_levels(&opened.parsed));
    memcpy(native.data + 8 + AT_LEVELS, item.row + AT_LEVELS, 21);
    cr_expect_eq(lod_l3_file_open(lod_buf_span(&native), &opened), -EILSEQ);
    lod_buf_finish(&native);
    lod_encoded_finish(&item);
}

/* -------------------------------------------------------------------------------- refusals */

static void expect_exact(struct lod_buf file, const char *why)
{
    struct lod_encoded item = encoded(&file);
    const struct lod_l3_row row = row_of(&item);

    cr_expect_not(lod_l3_has_levels(&row));
    cr_expect_str_eq(item.exact, why);
    for (unsigned i = 0; i < LOD_L3_LEVELS; i++) {
        cr_expect_eq(item.group[i].bytes, 0);
    }
    lod_encoded_finish(&item);
}

/* Of every 4 pixels of a row, `equal` are as their left neighbour; the others are as grainy. */
static struct lod_buf flat(unsigned equal)
{
    struct lod_buf file = photograph(200, 160, 1);
    uint8_t *pixels = file.data + file.bytes - (size_t)200 * 160;

    for (unsigned y = 0; y < 160; y++) {
        for (unsigned x = 1; x < 200; x++) {
            uint8_t *at = pixels + (size_t)y * 200 + x;
            *at = x % 4 < 4 - equal ? (uint8_t)(*at + (*at == at[-1])) : at[-1];
        }
    }
    return file;
}

Test(levels, flat_small_and_other_images_are_refused_by_reason)
{
    struct lod_buf half = flat(2);
    struct lod_encoded item = encoded(&half);

    cr_expect_null(item.exact, "%s", item.exact);
    lod_encoded_finish(&item);
    expect_exact(flat(3), "it is flat, as masks are");
    expect_exact(photograph(16, 16, 3),
                 "its lower fidelities take over 1/11 of its bytes, as those of masks do");
    expect_exact(sample_plain(&(struct plain_sample){
                     .width = 100, .height = 90, .channels = 3, .maxval = 200}),
                 "it is no gray or RGB image of 8 bits");
    expect_exact(sample_png(&(struct png_sample){
                     .width = 120, .height = 120, .depth = 16, .colour = LOD_PNG_RGB}),
                 "it is no gray or RGB image of 8 bits");
}

Test(levels, without_the_encoder_for_levels_there_are_none)
{
    const struct lod_encode_options options = {0};
    struct lod_buf file = photograph(200, 160, 3);
    struct lod_encoded item = {0};

    cr_assert_eq(lod_encoder_l3.encode(lod_buf_span(&file), &options, &item), 0);
    const struct lod_l3_row row = row_of(&item);
    cr_expect_not(lod_l3_has_levels(&row));
    cr_expect_null(item.exact);
    cr_expect_eq(lod_encoder_l3.levels, &lod_encoder_l3_levels);
    cr_expect_neq(lod_encoder_class(&lod_encoder_l3), lod_encoder_class(&lod_encoder_l3_levels));
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
}
