/* SPDX-License-Identifier: Apache-2.0 */
/* The walker of tars, with archives that are written here field by field. */
#include "walk_fixture.h"

#include "pack/container/tar_header.h"

static struct walk_fixture f;

static void end(void)
{
    walk_finish(&f);
}

TestSuite(from_tar, .fini = end);

/* Sets the checksum of the last header. */
static void seal(void)
{
    uint8_t *block = f.file.data + f.file.bytes - LOD_TAR_BLOCK;
    unsigned sum = 0;

    memset(block + 148, ' ', 8);
    for (unsigned i = 0; i < LOD_TAR_BLOCK; i++) {
        sum += block[i];
    }
    snprintf((char *)block + 148, 8, "%06o", sum);
}

static uint8_t *header(const char *name, char type, unsigned size)
{
    char block[LOD_TAR_BLOCK] = {0};

    memcpy(block, name, strnlen(name, 100));
    snprintf(block + 100, 8, "%07o", 0644);
    snprintf(block + 124, 12, "%011o", size);
    snprintf(block + 136, 12, "%011o", 1234);
    block[156] = type;
    memcpy(block + 257, "ustar\00000", 8);
    walk_append(&f, block, sizeof(block));
    seal();
    return f.file.data + f.file.bytes - LOD_TAR_BLOCK;
}

static void data(const void *bytes, size_t count)
{
    static const char zeros[LOD_TAR_BLOCK];

    walk_append(&f, bytes, count);
    walk_append(&f, zeros, (LOD_TAR_BLOCK - count % LOD_TAR_BLOCK) % LOD_TAR_BLOCK);
}

static void member(const char *name, const char *text)
{
    header(name, '0', (unsigned)strlen(text));
    data(text, strlen(text));
}

static void finish(void)
{
    static const char zeros[2 * LOD_TAR_BLOCK];

    walk_append(&f, zeros, sizeof(zeros));
}

static void pax(const char *records)
{
    header("././@PaxHeader", 'x', (unsigned)strlen(records));
    data(records, strlen(records));
}

/* Makes the archive anew with a change of the first header's field. */
static void with_field(unsigned at, const void *bytes, size_t count)
{
    walk_finish(&f);
    memcpy(header("a", '0', 5) + at, bytes, count);
    seal();
    data("hello", 5);
    finish();
}

Test(from_tar, members_are_files_folders_and_others)
{
    header("d/", '5', 0);
    member("d/a", "hello");
    memcpy(header("d/link", '2', 0) + 157, "a", 1);
    seal();
    header("d/pipe", '6', 0);
    header("v7/", '\0', 0);
    header("d/b", '\0', 0);
    finish();
    cr_assert_eq(walk_file(&f, &lod_container_tar), 0, "%s", f.walk.why);
    walk_expect(&f, "folder d/ 0\nfile d/a 5\nsymlink d/link -> a 0\nother d/pipe 0\n"
                    "folder v7/ 0\nfile d/b 0\n");
    cr_assert_eq(f.contents.bytes, 5);
    cr_assert_arr_eq(f.contents.data, "hello", 5);
}

Test(from_tar, a_folder_of_an_incremental_archive_is_one)
{
    static const char names[] = "Ya\0Nb\0";

    header("d/", 'D', sizeof(names));
    data(names, sizeof(names));
    member("d/a", "hello");
    finish();
    cr_assert_eq(walk_file(&f, &lod_container_tar), 0, "%s", f.walk.why);
    walk_expect(&f, "folder d/ 0\nfile d/a 5\n");
}

Test(from_tar, links_name_their_file)
{
    char target[301];

    memset(target, 't', 300);
    target[300] = '\0';
    member("a", "hello");
    memcpy(header("b", '1', 0) + 157, "a", 1);
    seal();
    memset(header("full", '1', 0) + 157, 'x', 100); /* without a NUL, before the magic */
    seal();
    pax("21 linkpath=from pax\n");
    header("c", '1', 0);
    header("././@LongLink", 'K', 301);
    data(target, 301);
    header("d", '1', 0);
    finish();
    cr_assert_eq(walk_file(&f, &lod_container_tar), 0, "%s", f.walk.why);
    char lines[600];
    snprintf(lines, sizeof(lines),
             "file a 5\nlink b -> a 0\nlink full -> %0100d 0\nlink c -> from pax 0\n"
             "link d -> %s 0\n",
             0, target);
    memset(strstr(lines, "0000"), 'x', 100);
    walk_expect(&f, lines);
}

Test(from_tar, the_prefix_is_that_of_posix_headers_alone)
{
    memcpy(header("name", '0', 0) + 345, "folder", 6);
    seal();
    memcpy(header("name", '0', 0) + 345, "folder", 6);
    memcpy(f.file.data + f.file.bytes - LOD_TAR_BLOCK + 257, "ustar  ", 8);
    seal();
    finish();
    cr_assert_eq(walk_file(&f, &lod_container_tar), 0, "%s", f.walk.why);
    walk_expect(&f, "file folder/name 0\nfile name 0\n");
}

Test(from_tar, long_names_are_those_of_the_next_member)
{
    char name[301];

    memset(name, 'n', 300);
    name[300] = '\0';
    header("././@LongLink", 'L', 301);
    data(name, 301);
    member("short", "x");
    pax("19 path=from a pax\n14 comment=xy\n");
    member("short", "y");
    member("short", "z");
    finish();
    cr_assert_eq(walk_file(&f, &lod_container_tar), 0, "%s", f.walk.why);
    cr_assert_arr_eq(f.members.data + 5, name, 300);
    cr_assert_str_eq((const char *)f.members.data + 305, " 1\nfile from a pax 1\nfile short 1\n");
}

Test(from_tar, a_pax_size_counts)
{
    pax("9 size=5\n");
    header("a", '0', 0);
    data("hello", 5);
    member("b", "");
    finish();
    cr_assert_eq(walk_file(&f, &lod_container_tar), 0, "%s", f.walk.why);
    walk_expect(&f, "file a 5\nfile b 0\n");
}

Test(from_tar, numbers_are_octal_or_of_base_256)
{
    int64_t number = 0;

    cr_assert_eq(lod_tar_number((const uint8_t *)"  0000017 \0", 12, &number), 0);
    cr_assert_eq(number, 15);
    cr_assert_eq(lod_tar_number((const uint8_t *)"777777777777", 12, &number), 0);
    cr_assert_eq(number, 0xfffffffff);
    cr_assert_eq(lod_tar_number((const uint8_t *)"\x80\0\0\0\x7f\0\0\0\0\0\1\2", 12, &number), 0);
    cr_assert_eq(number, 0x7f00000000000102);
    cr_assert_eq(lod_tar_number((const uint8_t *)"\x80\0\0\0\x80\0\0\0\0\0\0\0", 12, &number),
                 -EILSEQ);
    cr_assert_eq(lod_tar_number((const uint8_t *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe",
                                12, &number),
                 0);
    cr_assert_eq(number, -2);
    cr_assert_eq(lod_tar_number((const uint8_t *)"\xc0\0\0\0\0\0\0\0\0\0\0\0", 12, &number),
                 -EILSEQ);
    cr_assert_eq(lod_tar_number((const uint8_t *)"12345678\0\0\0", 12, &number), -EILSEQ);
    cr_assert_eq(lod_tar_number((const uint8_t *)"-1\0\0\0\0\0\0\0\0\0", 12, &number), -EILSEQ);
}

Test(from_tar, times_of_pax_headers_have_nanoseconds)
{
    static const struct {
        const char *text;
        int64_t seconds;
        long nanoseconds;
    } times[] = {
        {"0", 0, 0},
        {"1795453826.144765192", 1795453826, 144765192},
        {"12.5", 12, 500000000},
        {"12.", 12, 0},
        {"12.0000000019", 12, 1},
        {"-3", -3, 0},
        {"-3.25", -4, 750000000},
        {"-3.0000000001", -4, 999999999},
        {"-3.9999999991", -4, 0},
    };
    static const char *const malformed[] = {"", "-", ".", "--1", "1.5x", "1.2.3", "1e9", "+1"};
    struct timespec time;

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        cr_assert_eq(lod_tar_time(times[i].text, strlen(times[i].text), &time), 0);
        cr_expect(time.tv_sec == times[i].seconds && time.tv_nsec == times[i].nanoseconds,
                  "%s became %jd and %ld", times[i].text, (intmax_t)time.tv_sec, time.tv_nsec);
    }
    for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
        cr_expect_eq(lod_tar_time(malformed[i], strlen(malformed[i]), &time), -EILSEQ);
    }
}

Test(from_tar, every_field_is_checked)
{
    with_field(124, "\x80\0\0\0\0\0\0\0\0\0\0\5", 12);
    cr_assert_eq(walk_file(&f, &lod_container_tar), 0, "%s", f.walk.why);
    walk_expect(&f, "file a 5\n");
    with_field(124, "77777777777", 12);
    walk_refused(&f, &lod_container_tar, "bytes extend past the end of the file");
    with_field(124, "\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12);
    walk_refused(&f, &lod_container_tar,
                 "9223372036854775807 bytes extend past the end of the file");
    with_field(124, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
    walk_refused(&f, &lod_container_tar, "a wrong size");
    with_field(124, "xxxxxxxxxxx", 12);
    walk_refused(&f, &lod_container_tar, "a wrong size");
    with_field(136, "99999999999", 12);
    walk_refused(&f, &lod_container_tar, "a wrong time");
    with_field(100, "888", 3);
    walk_refused(&f, &lod_container_tar, "a wrong mode");
    with_field(156, "S", 1);
    walk_refused(&f, &lod_container_tar, "a sparse file");
    with_field(156, "?", 1);
    walk_refused(&f, &lod_container_tar, "type has the number 63");
    with_field(0, "b", 1);
    f.file.data[0] = 'c';
    walk_refused(&f, &lod_container_tar, "a wrong checksum");
    cr_assert_eq(f.walk.why_at, 0);
}

Test(from_tar, extended_headers_are_checked)
{
    static const char long_name[5000];
    static const struct {
        const char *records, *words;
    } bad[] = {{"9 size=-5\n", "malformed"},   {"9 size=5x", "malformed"},
               {"99 size=5\n", "malformed"},   {"size=5\n", "malformed"},
               {"0 size=5\n", "malformed"},    {"99999999999999999999 a=b\n", "malformed"},
               {"9 size=\n\n\n", "malformed"}, {"22 GNU.sparse.major=1\n", "a sparse file"}};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        walk_finish(&f);
        pax(bad[i].records);
        member("a", "hello");
        finish();
        walk_refused(&f, &lod_container_tar, bad[i].words);
    }
    walk_finish(&f);
    header("././@LongLink", 'L', 5000);
    data(long_name, sizeof(long_name));
    member("a", "hello");
    finish();
    walk_refused(&f, &lod_container_tar, "over 4,095 bytes");
    walk_finish(&f);
    pax("9 size=5\n");
    finish();
    walk_refused(&f, &lod_container_tar, "the member after its extended header is missing");
    walk_finish(&f);
    header("././@PaxHeader", 'g', 9);
    data("9 size=5\n", 9);
    member("a", "hello");
    finish();
    walk_refused(&f, &lod_container_tar, "a global pax header");
}

Test(from_tar, only_two_blocks_of_zeros_end_a_tar)
{
    member("a", "hello");
    finish();
    finish();
    member("b", "hello");
    walk_refused(&f, &lod_container_tar, "bytes follow the end");
    f.file.bytes -= 2 * LOD_TAR_BLOCK;
    cr_assert_eq(walk_file(&f, &lod_container_tar), 0, "%s", f.walk.why);
    walk_finish(&f);
    member("a", "hello");
    finish();
    f.file.bytes -= LOD_TAR_BLOCK;
    walk_refused(&f, &lod_container_tar, "the file is cut");
    member("b", "hello");
    walk_refused(&f, &lod_container_tar, "a single block of zeros");
}

Test(from_tar, a_tar_that_is_cut_at_any_byte_is_refused)
{
    member("a", "hello");
    pax("9 size=5\n");
    header("b", '0', 0);
    data("hello", 5);
    header("././@LongLink", 'L', 5);
    data("name", 5);
    member("c", "hello");
    finish();
    cr_assert_eq(walk_file(&f, &lod_container_tar), 0, "%s", f.walk.why);
    for (size_t bytes = 0; bytes < f.file.bytes; bytes++) {
        cr_assert_eq(walk_bytes(&f, &lod_container_tar, bytes), -EILSEQ, "%zu bytes", bytes);
    }
}
