/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "l3/patch/l3_stream.h"
#include "l3_samples.h"

static void there_and_back(struct l3_picture picture, const struct lod_l3_options *options)
{
    struct lod_buf stream = {0};

    cr_assert_eq(lod_l3_encode(&picture.image, picture.at, picture.stride, options, &stream), 0);
    l3_expect_decoded(&picture, lod_buf_span(&stream));
    lod_buf_finish(&stream);
}

Test(l3_stream, every_kind_of_image_comes_back)
{
    static const uint32_t sides[] = {1, 2, 7, 9, 31, 64, 65, 130};
    static const uint8_t depths[] = {1, 2, 4, 8, 16};

    for (unsigned i = 0; i < 8 * 8 * 4 * 5 * L3_CONTENTS; i++) {
        struct lod_l3_image image = {.width = sides[i % 8],
                                     .height = sides[i / 8 % 8],
                                     .samples = (uint8_t)(1 + i / 64 % 4),
                                     .bits = depths[i / 256 % 5]};
        struct l3_picture picture = l3_picture(image, i / 1280, i);
        struct lod_l3_options options = {.mode = i % LOD_L3_MODES,
                                         .side_log2 = i % 5 ? (uint8_t)(5 + i % 3) : 0};
        there_and_back(picture, &options);
        free(picture.at);
    }
}

Test(l3_stream, a_band_needs_the_head_and_its_own_bytes_alone)
{
    struct l3_picture picture = l3_picture(
        (struct lod_l3_image){.width = 100, .height = 70, .samples = 3, .bits = 8}, L3_NOISE, 1);
    struct lod_l3_options options = {.mode = LOD_L3_PACKED, .side_log2 = 5};
    struct lod_buf bytes = {0};
    struct lod_l3_stream stream;
    uint64_t head, offset, count;
    void *work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);
    uint8_t *rows = malloc(6 * picture.stride);

    cr_assert_eq(lod_l3_encode(&picture.image, picture.at, picture.stride, &options, &bytes), 0);
    cr_assert_eq(lod_l3_head_bytes(bytes.data, &head), 0);
    struct lod_span start = {.at = bytes.data, .bytes = head};
    cr_assert_eq(lod_l3_stream_open(start, bytes.bytes, &stream), 0);
    cr_assert_eq(stream.rows, 3);
    cr_assert_eq(stream.columns, 4);
    cr_assert_eq(lod_l3_band_height(&stream, 2), 6);
    lod_l3_band(&stream, 2, &offset, &count);
    cr_assert_eq(offset + count, bytes.bytes);
    cr_assert_eq(lod_l3_work_init(&stream, work), 0);
    struct lod_span band = {.at = bytes.data + offset, .bytes = count};
    cr_assert_eq(lod_l3_decode_band(&stream, 2, band, rows, picture.stride, work), 0);
    cr_assert_eq(memcmp(rows, picture.at + 64 * picture.stride, 6 * picture.stride), 0);
    band.bytes--;
    cr_assert_eq(lod_l3_decode_band(&stream, 2, band, rows, picture.stride, work), -EILSEQ);
    free(rows);
    free(work);
    free(picture.at);
    lod_buf_finish(&bytes);
}

Test(l3_stream, a_head_that_is_none_is_refused)
{
    struct l3_picture picture = l3_picture(
        (struct lod_l3_image){.width = 40, .height = 9, .samples = 1, .bits = 8}, L3_SMOOTH, 1);
    struct lod_l3_options options = {.mode = LOD_L3_PACKED, .side_log2 = 5};
    static const struct {
        unsigned at, value;
        const char *what;
    } wrong[] = {
        {0, 0, "no width"},
        {3, 128, "a width of more than 31 bits"},
        {7, 255, "height"},
        {8, 0, "no samples"},
        {8, 5, "five samples"},
        {9, 3, "three bits"},
        {10, 4, "side too small"},
        {10, 8, "side too large"},
        {11, 1, "reserved"},
        {12, 255, "tables past the end"},
        {16, 255, "sizes that do not add up"},
    };
    struct lod_buf bytes = {0};
    struct lod_l3_stream stream;

    cr_assert_eq(lod_l3_encode(&picture.image, picture.at, picture.stride, &options, &bytes), 0);
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        uint8_t kept = bytes.data[wrong[i].at];
        bytes.data[wrong[i].at] = (uint8_t)wrong[i].value;
        cr_assert_eq(lod_l3_stream_open(lod_buf_span(&bytes), bytes.bytes, &stream), -EILSEQ, "%s",
                     wrong[i].what);
        bytes.data[wrong[i].at] = kept;
    }
    for (size_t left = 0; left < 24; left++) {
        struct lod_span head = {.at = bytes.data, .bytes = left};
        cr_assert_eq(lod_l3_stream_open(head, bytes.bytes, &stream), -EILSEQ, "%zu bytes", left);
    }
    cr_assert_eq(lod_l3_stream_open(lod_buf_span(&bytes), bytes.bytes, &stream), 0);
    lod_buf_finish(&bytes);
    free(picture.at);
}
