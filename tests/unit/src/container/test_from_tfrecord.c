/* SPDX-License-Identifier: Apache-2.0 */
/* The walker of TFRecord files, and the Example that is left without its picture. */
#include "walk_fixture.h"

#include "castagnoli.h"

#define RECORD(text) record(text, sizeof(text) - 1)

/* Features, as entries of the map: key and a list of one value of bytes. */
#define ENCODED                                                                                    \
    "\x0a\x17\x0a\x0dimage/encoded\x12\x06\x0a\x04\x0a\x02"                                        \
    "ab"
#define NAME                                                                                       \
    "\x0a\x1a\x0a\x0eimage/filename\x12\x08\x0a\x06\x0a\x04"                                       \
    "d/bc"
#define IMAGE                                                                                      \
    "\x0a\x0f\x0a\x05image\x12\x06\x0a\x04\x0a\x02"                                                \
    "cd"
#define NUMBER "\x0a\x0d\x0a\x05image\x12\x04\x1a\x02\x08\x07"
#define TEXT                                                                                       \
    "\x0a\x1a\x0a\x10image/class/text\x12\x06\x0a\x04\x0a\x02"                                     \
    "x/"

static struct walk_fixture f;

static void end(void)
{
    walk_finish(&f);
}

TestSuite(from_tfrecord, .fini = end);

static uint32_t masked(const void *data, size_t bytes)
{
    const uint32_t crc = lod_crc32c(0, data, bytes);

    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void record(const char *data, size_t bytes)
{
    uint8_t word[12];

    lod_put_le64(word, bytes);
    lod_put_le32(word + 8, masked(word, 8));
    walk_append(&f, word, 12);
    walk_append(&f, data, bytes);
    lod_put_le32(word, masked(data, bytes));
    walk_append(&f, word, 4);
}

static void walk(void)
{
    cr_assert_eq(walk_file(&f, &lod_container_tfrecord), 0, "%s", f.walk.why);
}

Test(from_tfrecord, the_picture_is_a_file_and_the_rest_another)
{
    RECORD("\x0a\x19" ENCODED);
    RECORD("\x0a\x35" ENCODED NAME);
    RECORD("\x0a\x35" NAME ENCODED);
    walk();
    walk_expect(&f, "file 0000000000 2\nfile d/bc 2\nfile d/bc.example 30\n"
                    "file d/bc 2\nfile d/bc.example 30\n");
    cr_assert_arr_eq(f.contents.data, "abab\x0a\x1c" NAME "ab\x0a\x1c" NAME, f.contents.bytes);
}

Test(from_tfrecord, better_names_of_a_picture_win)
{
    RECORD("\x0a\x2a" IMAGE ENCODED);
    RECORD("\x0a\x2a" ENCODED IMAGE);
    RECORD("\x0a\x28" ENCODED NUMBER);
    RECORD("\x0a\x0f" NUMBER);
    walk();
    walk_expect(&f, "file 0000000000 2\nfile 0000000000.example 19\n"
                    "file 0000000001 2\nfile 0000000001.example 19\n"
                    "file 0000000002 2\nfile 0000000002.example 17\nfile 0000000003.example 17\n");
    cr_assert_arr_eq(f.contents.data, "ab", 2);
    f.walk.key = "image";
    f.file.bytes = 0;
    RECORD("\x0a\x2a" IMAGE ENCODED);
    walk();
    cr_assert_arr_eq(f.contents.data, "cd", 2);
}

Test(from_tfrecord, a_class_is_a_folder_without_slashes)
{
    RECORD("\x0a\x35" ENCODED TEXT);
    RECORD("\x0a\x51" ENCODED TEXT NAME);
    walk();
    walk_expect(&f, "file x_/0000000000 2\nfile x_/0000000000.example 30\n"
                    "file d/bc 2\nfile d/bc.example 58\n");
}

Test(from_tfrecord, the_features_may_be_in_several_messages)
{
    RECORD("\x0a\x1c" NAME "\x0a\x19" ENCODED "\x10\x05");
    walk();
    walk_expect(&f, "file d/bc 2\nfile d/bc.example 34\n");
    cr_assert_arr_eq(f.contents.data, "ab\x0a\x00\x0a\x1c" NAME "\x10\x05", f.contents.bytes);
}

Test(from_tfrecord, lengths_and_sums_are_checked)
{
    RECORD("\x0a\x19" ENCODED);
    f.file.data[3] ^= 1;
    walk_refused(&f, &lod_container_tfrecord, "the checksum of its length");
    f.file.bytes = 0;
    RECORD("");
    f.file.data[12] ^= 1;
    walk_refused(&f, &lod_container_tfrecord, "its checksum is wrong");
    f.file.bytes = 0;
    RECORD("\x0a\x32" ENCODED ENCODED);
    walk_refused(&f, &lod_container_tfrecord, "its picture twice");
    f.file.bytes = 0;
    RECORD("\x0a\x1a" ENCODED);
    walk_refused(&f, &lod_container_tfrecord, "no Example");
    cr_assert_eq(f.walk.why_at, 12);
}

Test(from_tfrecord, a_file_that_is_cut_at_any_byte_is_refused)
{
    size_t first;

    RECORD("\x0a\x35" NAME ENCODED);
    first = f.file.bytes;
    RECORD("\x0a\x19" ENCODED);
    walk();
    for (size_t bytes = 1; bytes < f.file.bytes; bytes++) {
        const int error = walk_bytes(&f, &lod_container_tfrecord, bytes);
        cr_assert_eq(error, bytes == first ? 0 : -EILSEQ, "%zu bytes", bytes);
    }
}
