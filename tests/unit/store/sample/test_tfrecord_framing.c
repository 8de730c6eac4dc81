/* SPDX-License-Identifier: Apache-2.0 */
/* A record of a TFRecord file, byte for byte, and that heads have the bytes they say. */
#include <criterion/criterion.h>
#include <string.h>

#include "bytes.h"
#include "framing/framing.h"

static struct lod_framed_sample sample_of(const char *path, uint64_t bytes)
{
    struct lod_framed_sample sample = {.count = 1, .label = LOD_NO_LABEL};

    sample.file[0] =
        (struct lod_framed_file){.path = path, .path_bytes = strlen(path), .bytes = bytes};
    return sample;
}

Test(tfrecord_framing, the_smallest_example)
{
    static const uint8_t example[] = "\x0a\x35"
                                     "\x0a\x19\x0a\x0eimage/filename\x12\x07\x0a\x05\x0a\x03"
                                     "a/b"
                                     "\x0a\x18\x0a\x0dimage/encoded\x12\x07\x0a\x05\x0a\x03";
    const struct lod_framed_sample sample = sample_of("a/b", 3);
    struct lod_stretch stretch;
    uint8_t head[LOD_HEAD_BYTES], tail[4];

    lod_framing_tfrecord.stretch(&sample, 0, &stretch, head);
    cr_assert_eq(stretch.head_bytes, 12 + sizeof(example) - 1);
    cr_assert_eq(lod_get_le64(head), sizeof(example) - 1 + 3);
    cr_assert_eq(memcmp(head + 12, example, sizeof(example) - 1), 0);
    cr_assert_eq(lod_framing_bytes(&lod_framing_tfrecord, &sample), 16 + sizeof(example) - 1 + 3);
    cr_assert(stretch.summed);
    cr_assert_eq(stretch.sum_from, 12);
    /* The checksum of no bytes, and one whose rotation crosses the top bit. */
    lod_framing_tfrecord.tail(&sample, 0, 0, tail);
    cr_assert_eq(lod_get_le32(tail), 0xa282ead8u);
    lod_framing_tfrecord.tail(&sample, 0, 0x80000001u, tail);
    cr_assert_eq(lod_get_le32(tail), 0x00030000u + 0xa282ead8u);
}

Test(tfrecord_framing, the_example_of_a_member_comes_first)
{
    static const uint8_t example[] = "\x0a\x1a"
                                     "\x0a\x18\x0a\x0dimage/encoded\x12\x07\x0a\x05\x0a\x03";
    struct lod_framed_sample sample = sample_of("a.jpg", 3);
    uint8_t head[LOD_HEAD_BYTES];
    struct lod_stretch stretch;

    sample.label = 7;
    sample.count = 2;
    sample.stem_bytes = 1;
    sample.file[1] = (struct lod_framed_file){
        .name = "a.example", .name_bytes = 9, .bytes = 1000, .plain = true};
    cr_assert_eq(lod_framing_tfrecord.stretches(&sample), 2);
    lod_framing_tfrecord.stretch(&sample, 0, &stretch, head);
    cr_assert(stretch.file == &sample.file[1] && !stretch.summed && !stretch.tail_bytes);
    cr_assert_eq(stretch.head_bytes, 12);
    cr_assert_eq(lod_get_le64(head), 1000 + sizeof(example) - 1 + 3);
    lod_framing_tfrecord.stretch(&sample, 1, &stretch, head);
    cr_assert(stretch.file == &sample.file[0] && stretch.sum_first == &sample.file[1]);
    cr_assert_eq(stretch.sum_from, 0);
    cr_assert_eq(stretch.head_bytes, sizeof(example) - 1);
    cr_assert_eq(memcmp(head, example, sizeof(example) - 1), 0);
    sample.file[1].bytes = 0x7fffffff - (sizeof(example) - 1 + 3);
    cr_assert(lod_framing_tfrecord.takes(&sample));
    sample.file[1].bytes++;
    cr_assert_not(lod_framing_tfrecord.takes(&sample), "2^31 bytes");
    sample.file[1].plain = false; /* a picture of that name is none */
    cr_assert_eq(lod_framing_tfrecord.stretches(&sample), 1);
}

Test(tfrecord_framing, lengths_of_pictures_around_the_steps_of_a_varint)
{
    uint8_t head[LOD_HEAD_BYTES + 1];
    struct lod_stretch stretch;

    for (unsigned shift = 7; shift <= 28; shift += 7) {
        for (uint64_t bytes = (1ull << shift) - 40; bytes < (1ull << shift) + 5; bytes++) {
            struct lod_framed_sample sample = sample_of("train/x/picture.png", bytes);
            sample.label = INT32_MAX;
            sample.class_name = sample.file[0].path + 6;
            sample.class_bytes = 1;
            sample.kind = ".png";
            sample.width = sample.height = 65500;
            memset(head, 0xa5, sizeof(head));
            lod_framing_tfrecord.stretch(&sample, 0, &stretch, head);
            cr_assert_eq(head[stretch.head_bytes], 0xa5);
            cr_assert_eq(lod_get_le64(head), stretch.head_bytes - 12 + bytes);
        }
    }
}

Test(tfrecord_framing, a_line_has_its_length)
{
    char text[LOD_LINE_BYTES + 1] = "";

    const struct lod_framed_lines *lines = lod_framing_tfrecord.lines[LOD_FRAMED_INDEX];
    const struct lod_framed_line line = {.offset = 1234567, .bytes = 89};

    lines->write(&line, text);
    cr_assert_eq(lod_line_bytes(lines, 99), strlen(text));
    cr_assert_str_eq(text, "0000000001234567 0000000089\n");
}
