/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of lossless images: which get them, their rows, their pixels and files. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "encoder.h"
#include "l3/container/container.h"
#include "l3/container/l3_form.h"
#include "l3/container/level_rules.h"
#include "l3/container/word_free.h"
#include "l3/l3_file.h"
#include "l3/levels.h"
#include "pcr/jpeg/jpeg_io.h"
#include "raster_samples.h"

#define AT_LEVELS 41

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

/* The JPEG of a level, as `need` requests it. */
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
    for (size_t i = 15; i < file.bytes; i++) {
        file.data[i] = (uint8_t)(file.data[i] + 120); /* many rows begin near ce */
    }
    struct lod_encoded item = encoded(&file);
    const struct lod_l3_row row = row_of(&item);
    uint32_t width, height, channels, changed = 0;

    for (unsigned level = 1; level <= LOD_L3_LEVELS; level++) {
        struct lod_buf jpeg = jpeg_of(&item, &row, level);
        cr_assert_eq(lod_jpeg_decode(lod_buf_span(&jpeg), &pixels, &width, &height, &channels), 0);
        for (uint32_t y = 0; y < height; y++) {
            uint8_t *line = pixels.data + (size_t)y * 211 * 3;
            changed += line[0] == 0xce;
            lod_word_free_row(line, 211 * 3);
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
    cr_expect(changed);
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
    cr_expect_eq(read_changed(&item, 63, 1), -EILSEQ);
    cr_expect_eq(read_changed(&item, 32, 254), -EILSEQ); /* maxval */
    item.row[AT_LEVELS] = item.row[AT_LEVELS + 1] = 0;
    cr_expect_eq(read_changed(&item, 0, 0), -EILSEQ); /* without level 1, but with others */
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

/* `equal` of every 4 pixels of a row equal their left neighbour; the others have grain. */
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
                 "it is not a gray or RGB image of 8 bits");
    expect_exact(sample_png(&(struct png_sample){
                     .width = 120, .height = 120, .depth = 16, .colour = LOD_PNG_RGB}),
                 "it is not a gray or RGB image of 8 bits");
}

Test(levels, without_the_encoder_for_levels_there_are_none)
{
    const struct lod_encode_options options = {0};
    struct lod_buf file = photograph(200, 160, 3);
    struct lod_encoded item = {0};

    cr_assert_eq(lod_encoder_l3.encode(lod_buf_span(&file), &options, &item), 0);
    const struct lod_l3_row row = row_of(&item);
    cr_expect_not(lod_l3_has_levels(&row));
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
}
