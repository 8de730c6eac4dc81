/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes .l3 files whole and compares with the pixels that a mount makes of the item band by band.
 */
#include <errno.h>

#include "l3/l3_whole.h"
#include "png_samples.h"

struct whole_item {
    struct lod_encoded item;
    struct lod_buf file, pixels; /* native/, and decoded/ without its header */
};

static struct whole_item make(uint8_t colour, uint8_t depth, uint32_t width, uint32_t height)
{
    const struct png_sample sample = {
        .width = width, .height = height, .colour = colour, .depth = depth};
    const struct lod_encode_options options = {.l3_mode = 1};
    struct lod_buf source = sample_png(&sample);
    struct whole_item made = {.item = png_encode(lod_buf_span(&source), &options)};
    struct lod_l3_row row;

    cr_assert_null(made.item.whole, "%s", made.item.whole);
    cr_assert_eq(lod_l3_row_read(made.item.row, &row), 0);
    made.file = png_file_at(&made.item, LOD_FORMAT_NATIVE, LOD_FULL);
    made.pixels = png_file_at(&made.item, LOD_FORMAT_DECODED, LOD_FULL);
    lod_buf_finish(&source);
    return made;
}

static void finish(struct whole_item *made)
{
    lod_encoded_finish(&made->item);
    lod_buf_finish(&made->file);
    lod_buf_finish(&made->pixels);
}

/* All kinds of images, with a last band that is full and one that is not. */
Test(l3_whole, pixels_are_those_of_all_bands)
{
    static const struct {
        uint8_t colour, depth;
        bool plain; /* samples are pixels as they are */
    } kinds[] = {{0, 1, false}, {0, 4, false}, {0, 8, true},  {0, 16, true}, {2, 8, true},
                 {2, 16, true}, {3, 2, false}, {3, 8, false}, {4, 8, true},  {6, 8, true}};
    static const uint32_t heights[] = {1, 64, 150};

    for (unsigned i = 0; i < 3 * sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct whole_item made = make(kinds[i / 3].colour, kinds[i / 3].depth, 230, heights[i % 3]);
        struct lod_l3_whole whole;
        cr_assert_eq(lod_l3_whole_open(lod_buf_span(&made.file), &whole), 0);
        cr_assert_eq(lod_l3_whole_is_plain(&whole), kinds[i / 3].plain, "kind %u", i / 3);
        const uint64_t bytes = lod_pixels_bytes(&whole.pixels);
        uint8_t *into = malloc(bytes + 1);
        into[bytes] = 0x5a;
        cr_assert_lt(bytes, made.pixels.bytes, "decoded/ has a header besides");
        cr_assert_eq(lod_l3_whole_pixels(&whole, NULL, into), 0);
        cr_assert_eq(into[bytes], 0x5a, "a byte too many");
        cr_assert_eq(memcmp(into, made.pixels.data + made.pixels.bytes - bytes, bytes), 0,
                     "kind %u, %u rows", i / 3, heights[i % 3]);
        free(into);
        finish(&made);
    }
}

Test(l3_whole, a_stream_of_another_image_is_refused)
{
    struct whole_item made = make(2, 8, 130, 150), other = make(2, 8, 130, 149);
    struct lod_l3_whole whole;
    struct lod_buf mixed = {0};

    cr_assert_eq(lod_l3_whole_open(lod_buf_span(&made.file), &whole), 0);
    const size_t head = (size_t)(whole.file.stream.at - made.file.data);
    /* The head states a longer stream, whose last bytes are missing here. */
    cr_assert_eq(lod_buf_append(&mixed, made.file.data, head), 0);
    cr_assert_eq(lod_buf_append(&mixed, other.file.data + head, other.file.bytes - head), 0);
    mixed.bytes = mixed.bytes < made.file.bytes ? mixed.bytes : made.file.bytes;
    while (mixed.bytes < made.file.bytes) {
        cr_assert_eq(lod_buf_append(&mixed, "", 1), 0);
    }
    cr_assert_eq(lod_l3_whole_open(lod_buf_span(&mixed), &whole), -EILSEQ);
    lod_buf_finish(&mixed);
    finish(&made);
    finish(&other);
}

/* Damaged files are refused or give pixels; nothing past their end is read or written. */
Test(l3_whole, damaged_streams_harm_nobody)
{
    struct whole_item made = make(3, 8, 100, 140);
    struct lod_l3_whole whole;
    unsigned refused = 0;

    cr_assert_eq(lod_l3_whole_open(lod_buf_span(&made.file), &whole), 0);
    const uint64_t bytes = lod_pixels_bytes(&whole.pixels);
    uint8_t *into = malloc(bytes);
    for (size_t at = 0; at < made.file.bytes; at += 1 + at / 64) {
        uint8_t *exact = malloc(made.file.bytes);
        memcpy(exact, made.file.data, made.file.bytes);
        exact[at] ^= (uint8_t)(1 + at % 255);
        const struct lod_span file = {.at = exact, .bytes = made.file.bytes};
        int error = lod_l3_whole_open(file, &whole);
        if (!error && lod_pixels_bytes(&whole.pixels) == bytes) {
            error = lod_l3_whole_pixels(&whole, NULL, into);
        }
        cr_assert(error == 0 || error == -EILSEQ || error == -E2BIG, "byte %zu: %d", at, error);
        refused += error != 0;
        free(exact);
    }
    cr_assert_gt(refused, 10);
    free(into);
    finish(&made);
}
