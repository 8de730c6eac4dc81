/* SPDX-License-Identifier: Apache-2.0 */
/* A record of a RecordIO file, byte for byte: parts at magic words, vectors of labels, limits. */
#include <criterion/criterion.h>
#include <string.h>

#include "bytes.h"
#include "framing/framing.h"

#define MAGIC 0xced7230au

static struct lod_framed_file file_of(const char *name, uint64_t bytes, const uint32_t *words,
                                      uint32_t count)
{
    return (struct lod_framed_file){.name = name,
                                    .name_bytes = strlen(name),
                                    .bytes = bytes,
                                    .plain = true,
                                    .words = words,
                                    .words_count = count,
                                    .words_most = count};
}

static struct lod_framed_sample sample_of(uint64_t bytes, const uint32_t *words, uint32_t count)
{
    struct lod_framed_sample sample = {.count = 1, .label = 7, .id = 3, .stem_bytes = 1};

    sample.file[0] = file_of("a.jpg", bytes, words, count);
    return sample;
}

/* Joins all stretches; bytes of files are those of `data`, which has them without their heads. */
static size_t join(const struct lod_framed_sample *sample, uint8_t *into)
{
    struct lod_stretch stretch;
    size_t at = 0;

    for (unsigned i = 0; i < lod_framing_recordio.stretches(sample); i++) {
        lod_framing_recordio.stretch(sample, i, &stretch, into + at);
        at += stretch.head_bytes;
        for (uint64_t k = 0; k < stretch.bytes; k++) {
            into[at++] = (uint8_t)(stretch.from + k);
        }
        lod_framing_recordio.tail(sample, i, 0, into + at);
        at += stretch.tail_bytes;
    }
    cr_assert_eq(at, lod_framing_bytes(&lod_framing_recordio, sample));
    return at;
}

static void check_part(const uint8_t *at, unsigned flag, uint32_t bytes)
{
    cr_assert_eq(lod_get_le32(at), MAGIC);
    cr_assert_eq(lod_get_le32(at + 4), flag << 29 | bytes);
}

Test(recordio_framing, one_part)
{
    const struct lod_framed_sample sample = sample_of(5, NULL, 0);
    uint8_t made[LOD_HEAD_BYTES];

    cr_assert_eq(join(&sample, made), 8 + 24 + 5 + 3);
    check_part(made, 0, 29);
    cr_assert_eq(lod_get_le32(made + 8), 0);
    cr_assert_eq(lod_get_le32(made + 12), 0x40e00000u, "7 as a float");
    cr_assert_eq(lod_get_le64(made + 16), 3);
    cr_assert_eq(lod_get_le64(made + 24), 0);
    cr_assert_eq(memcmp(made + 32, "\0\1\2\3\4\0\0\0", 8), 0);
}

Test(recordio_framing, magic_words_begin_parts)
{
    static const uint32_t words[] = {0, 1, 3};
    const struct lod_framed_sample sample = sample_of(16, words, 3);
    uint8_t made[LOD_HEAD_BYTES];

    cr_assert_eq(join(&sample, made), 8 + 24 + 16 + 3 * 4);
    check_part(made, 1, 24);
    check_part(made + 32, 2, 0);
    check_part(made + 40, 2, 4);
    cr_assert_eq(memcmp(made + 48, "\x08\x09\x0a\x0b", 4), 0);
    check_part(made + 52, 3, 0);
}

Test(recordio_framing, a_vector_stands_before_the_picture)
{
    static const uint32_t words[] = {1}, later[] = {2};
    struct lod_framed_sample sample = sample_of(13, later, 1);
    uint8_t made[LOD_HEAD_BYTES];

    sample.file[1] = file_of("a.label", 12, words, 1);
    sample.count = 2;
    cr_assert_eq(join(&sample, made), 8 + 24 + 12 + 13 + 3 + 2 * 4);
    check_part(made, 1, 28);
    cr_assert_eq(lod_get_le32(made + 8), 3);
    cr_assert_eq(lod_get_le32(made + 12), 0, "the labels are in the vector");
    check_part(made + 36, 2, 12);
    check_part(made + 36 + 20, 3, 1);
    sample.file[1].bytes = 13;
    cr_assert_eq(lod_framing_bytes(&lod_framing_recordio, &sample), 8 + 24 + 13 + 3 + 4,
                 "no floats");
    sample.file[1].bytes = 0;
    cr_assert_eq(lod_framing_bytes(&lod_framing_recordio, &sample), 8 + 24 + 13 + 3 + 4);
    sample.file[1].bytes = 12;
    sample.file[1].plain = false;
    cr_assert_eq(lod_framing_bytes(&lod_framing_recordio, &sample), 8 + 24 + 13 + 3 + 4);
}

Test(recordio_framing, an_id_that_is_the_magic_word)
{
    struct lod_framed_sample sample = sample_of(4, NULL, 0);
    uint8_t made[LOD_HEAD_BYTES];

    sample.id = MAGIC;
    cr_assert_eq(join(&sample, made), 8 + 24 + 4 + 4);
    check_part(made, 1, 8);
    check_part(made + 16, 3, 16);
    cr_assert_eq(memcmp(made + 36, "\0\1\2\3", 4), 0);
}

Test(recordio_framing, samples_that_a_record_cannot_hold)
{
    struct lod_framed_sample sample = sample_of((1u << 29) - 25, NULL, 0);

    cr_assert(lod_framing_recordio.takes(&sample));
    sample.file[0].bytes++;
    cr_assert_not(lod_framing_recordio.takes(&sample));
    sample.file[0].bytes = 4;
    sample.file[0].words_most = 4096;
    cr_assert(lod_framing_recordio.takes(&sample));
    sample.file[0].words_most++;
    cr_assert_not(lod_framing_recordio.takes(&sample));
    sample.file[0].words_most = UINT32_MAX;
    cr_assert_not(lod_framing_recordio.takes(&sample));
}

Test(recordio_framing, lines)
{
    const struct lod_framed_lines *index = lod_framing_recordio.lines[LOD_FRAMED_INDEX];
    const struct lod_framed_lines *list = lod_framing_recordio.lines[LOD_FRAMED_LIST];
    struct lod_framed_line line = {.id = 12,
                                   .offset = 345,
                                   .label = INT32_MAX,
                                   .path = "a\nb",
                                   .path_bytes = 3,
                                   .path_room = 5};
    char text[LOD_LINE_BYTES + 1] = "";

    index->write(&line, text);
    cr_assert_str_eq(text, "0000000012\t0000000000000345\n");
    cr_assert_eq(lod_line_bytes(index, 5), strlen(text));
    list->write(&line, text);
    cr_assert_str_eq(text, "0000000012\t2147483647.000000\ta?b  \n");
    cr_assert_eq(lod_line_bytes(list, 5), strlen(text));
    line.label = LOD_NO_LABEL;
    list->write(&line, text);
    cr_assert_str_eq(text, "0000000012\t        -1.000000\ta?b  \n");
}
