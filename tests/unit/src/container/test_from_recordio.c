/* SPDX-License-Identifier: Apache-2.0 */
/* The walker of RecordIO files, and the lists beside them. */
#include "walk_fixture.h"

#include "pack/container/lst.h"

static const char magic[] = "\x0a\x23\xd7\xce";
static struct walk_fixture f;

static void end(void)
{
    walk_finish(&f);
}

TestSuite(from_recordio, .fini = end);

static void part(unsigned flag, const void *data, unsigned bytes)
{
    uint8_t word[4];

    walk_append(&f, magic, 4);
    lod_put_le32(word, flag << 29 | bytes);
    walk_append(&f, word, 4);
    walk_append(&f, data, bytes);
    walk_append(&f, "\0\0\0", (4 - bytes % 4) % 4);
}

/* An image record of one part. */
static void image(uint32_t flag, float label, uint64_t id, const char *rest, unsigned bytes)
{
    uint8_t data[128] = {0};

    lod_put_le32(data, flag);
    memcpy(data + 4, &label, 4);
    lod_put_le64(data + 8, id);
    memcpy(data + 24, rest, bytes);
    part(0, data, 24 + bytes);
}

static void walk(void)
{
    cr_assert_eq(walk_file(&f, &lod_container_recordio), 0, "%s", f.walk.why);
}

Test(from_recordio, names_are_labels_and_ids)
{
    image(0, 3, 17, "\xff\xd8\xff", 3);
    image(0, 100000, 1ull << 40, "", 0);
    image(0, -1, 1, "x", 1);
    image(0, .5f, 2, "x", 1);
    image(2, 0, 3, "12345678x", 9);
    walk();
    walk_expect(&f, "file 00003/0000000017.jpg 3\nfile 100000/1099511627776 0\n"
                    "file 0000000001 1\nfile 0000000001.label 4\n"
                    "file 0000000002 1\nfile 0000000002.label 4\n"
                    "file 0000000003 1\nfile 0000000003.label 8\n");
    f.walk.names = LOD_NAMES_WITHOUT_IDS;
    walk();
    cr_assert_not_null(strstr((const char *)f.members.data, "00003/0000000000.jpg"));
}

Test(from_recordio, a_magic_word_between_parts_is_data)
{
    uint8_t data[24] = {0};

    part(1, data, 24);
    part(2, "abcd", 4);
    part(2, "", 0);
    part(3, "e", 1);
    walk();
    walk_expect(&f, "file 00000/0000000000 17\n");
    cr_assert_arr_eq(f.contents.data,
                     "\x0a\x23\xd7\xce"
                     "abcd\x0a\x23\xd7\xce\x0a\x23\xd7\xce"
                     "e",
                     17);
}

Test(from_recordio, parts_are_checked)
{
    static const struct {
        unsigned flags[3];
        const char *words;
    } bad[] = {{{2, 0, 0}, "beginning is missing"},
               {{3, 0, 0}, "beginning is missing"},
               {{1, 0, 3}, "the end of the record before it is missing"},
               {{1, 1, 3}, "the end of the record before it is missing"},
               {{1, 2, 2}, "before the last part"},
               {{4, 0, 0}, "the flag 4"},
               {{0, 0, 7}, "the flag 7"}};
    const uint8_t data[28] = {0};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        f.file.bytes = 0;
        for (unsigned p = 0; p < 3; p++) {
            part(bad[i].flags[p], data, 28);
        }
        walk_refused(&f, &lod_container_recordio, bad[i].words);
    }
    f.file.bytes = 0;
    part(0, data, 23);
    walk_refused(&f, &lod_container_recordio, "has 23 bytes");
    f.file.bytes = 0;
    image(2, 0, 0, "1234567", 7);
    walk_refused(&f, &lod_container_recordio, "2 numbers");
}

Test(from_recordio, a_file_that_is_cut_at_any_byte_is_refused)
{
    size_t first;

    image(0, 1, 1, "abc", 3);
    first = f.file.bytes;
    image(1, 1, 2, "abcd", 4);
    part(1, f.file.data + 8, 24);
    part(3, "a", 1);
    walk();
    for (size_t bytes = 1; bytes < f.file.bytes; bytes++) {
        const int error = walk_bytes(&f, &lod_container_recordio, bytes);
        cr_assert_eq(error, bytes == first || bytes == first + 36 ? 0 : -EILSEQ, "%zu", bytes);
    }
}

Test(from_recordio, it_goes_on_at_the_next_beginning_of_a_record)
{
    const uint8_t data[24] = {0};

    part(2, data, 24);
    part(3, data, 24);
    image(0, 1, 1, "abc", 3);
    walk_refused(&f, &lod_container_recordio, "beginning is missing");
    f.walk.state = NULL;
    cr_assert_eq(lod_container_recordio.resync(&f.walk), 0);
    cr_assert_eq(f.walk.at, 64);
    cr_assert_eq(lod_container_recordio.resync(&f.walk), -ENODATA);
}

Test(from_recordio, a_list_names_records_by_id)
{
    static const char text[] = "\xef\xbb\xbf" /* a byte order mark */
                               "7\t0.5\td/a b.jpg   \n1\t1\t2\tc.jpg\r\n\n7\t0\tlast";
    struct lod_lst lst = {0};
    uint64_t line = 0;
    size_t bytes = 0;

    cr_assert_eq(
        lod_lst_read((struct lod_span){(const uint8_t *)text, sizeof(text) - 1}, &lst, &line), 0);
    cr_assert_eq(memcmp(lod_lst_find(&lst, 1, &bytes), "c.jpg", 5), 0);
    cr_assert_eq(bytes, 5);
    cr_assert_eq(memcmp(lod_lst_find(&lst, 7, &bytes), "last", 4), 0, "the last line counts");
    cr_assert_null(lod_lst_find(&lst, 0, &bytes));
    cr_assert_null(lod_lst_find(&lst, 8, &bytes));
    lod_lst_finish(&lst);
    static const char *const bad[] = {"x\t0\ta", "1\ta", "1", "1\t0\t", "1\t0\t  ", "-1\t0\ta"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const struct lod_span span = {(const uint8_t *)bad[i], strlen(bad[i])};
        cr_assert_eq(lod_lst_read(span, &lst, &line), -EILSEQ, "%s", bad[i]);
        cr_assert_eq(line, 1);
        lod_lst_finish(&lst);
    }
}
