/* SPDX-License-Identifier: Apache-2.0 */
/* pack.journal: the same plan is recognised, another one is named, a damaged journal is refused. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "encoder.h"
#include "pack/pack_describe.h"
#include "pack/target/journal.h"

#define OPTIONS "lodfs 1\n--order=shuffle\n--seed=0\n"

static char folder[64];
static int fd;
static struct lod_source_list list;
static struct lod_journal journal;
static char why[20000];

static void add(const char *path, uint8_t role, uint64_t bytes)
{
    struct lod_source source = {.path = path,
                                .role = role,
                                .bytes = bytes,
                                .mode = 0644,
                                .mtime = 7,
                                .names = 1,
                                .encoder = role == LOD_SOURCE_FILE ? &lod_encoder_raw : NULL};

    if (role == LOD_SOURCE_SYMLINK) {
        source.target = "a/1.jpg";
    }
    cr_assert_eq(lod_source_list_add(&list, &source), 0);
    lod_source_list_sort(&list);
}

static struct lod_source *at(const char *path)
{
    struct lod_source *source = lod_source_list_find(&list, path);

    cr_assert_not_null(source);
    return source;
}

static int compare(const char *options, uint64_t choice)
{
    const struct lod_journal_plan plan = {.options = options, .choice = choice, .list = &list};

    why[0] = '\0';
    int error = lod_journal_compare_options(&journal, options, why, sizeof(why));
    return error ? error : lod_journal_compare_source(&journal, &plan, why, sizeof(why));
}

static void write_and_read(void)
{
    const struct lod_journal_plan plan = {.options = OPTIONS, .choice = 5, .list = &list};

    lod_journal_finish(&journal);
    cr_assert_eq(lod_journal_write(fd, &plan), 0);
    cr_assert_eq(lod_journal_read(fd, &journal), 0);
}

static void begin(void)
{
    snprintf(folder, sizeof(folder), "%s", P_tmpdir "/lodfs-journal-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    fd = open(folder, O_RDONLY | O_DIRECTORY);
    cr_assert(fd >= 0);
    add("", LOD_SOURCE_FOLDER, 0);
    add("a", LOD_SOURCE_FOLDER, 0);
    add("a/1.jpg", LOD_SOURCE_FILE, 100);
    add("a/10.jpg", LOD_SOURCE_FILE, 100);
    add("a/2.jpg", LOD_SOURCE_FILE, 100);
    add("link", LOD_SOURCE_SYMLINK, 0);
    write_and_read();
}

static void end(void)
{
    unlinkat(fd, LOD_JOURNAL_NAME, 0);
    close(fd);
    rmdir(folder);
    lod_journal_finish(&journal);
    lod_source_list_finish(&list);
}

TestSuite(journal, .init = begin, .fini = end);

static void check_other(const char *words)
{
    cr_assert_eq(compare(OPTIONS, 5), -EEXIST, "%s: %s", words, why);
    cr_assert_not_null(strstr(why, words), "%s: %s", words, why);
}

Test(journal, the_same_plan_is_recognised)
{
    cr_assert_eq(compare(OPTIONS, 5), 0);
    cr_assert(faccessat(fd, LOD_JOURNAL_TMP, F_OK, 0) < 0);
}

Test(journal, files_that_are_in_no_record_may_change)
{
    at("a")->mtime = 8;
    at("a")->mode = 0700;
    at("a/1.jpg")->ino = 99;
    at("a/1.jpg")->dev = 99;
    at("a/1.jpg")->sketch = 99;
    cr_assert_eq(compare(OPTIONS, 5), 0);
}

Test(journal, the_first_other_option_is_named)
{
    cr_assert_eq(compare("lodfs 1\n--order=path\n--seed=0\n", 5), -EEXIST);
    cr_assert_str_eq(why, "it was begun with --order=shuffle, not --order=path");
    cr_assert_eq(compare("lodfs 2\n--order=path\n--seed=0\n", 5), -EEXIST);
    cr_assert_str_eq(why, "it was begun with lodfs 1, not lodfs 2");
    cr_assert_eq(compare("lodfs 1\n--order=shuffle\n", 5), -EEXIST);
    cr_assert_eq(compare(OPTIONS "--more\n", 5), -EEXIST);
}

Test(journal, each_property_of_a_file_counts)
{
    struct lod_source *file = at("a/10.jpg");
    const struct lod_source before = *file;

    file->bytes++;
    check_other("'a/10.jpg' has changed");
    *file = before;
    file->mtime++;
    check_other("'a/10.jpg' has changed");
    *file = before;
    file->mode = 0600;
    check_other("'a/10.jpg' has changed");
    *file = before;
    file->encoder = &lod_encoder_pcr;
    check_other("'a/10.jpg' has changed");
    *file = before;
    file->role = LOD_SOURCE_LEFT_OUT;
    check_other("'a/10.jpg' has changed");
    *file = before;
    at("link")->target = "a/2.jpg";
    check_other("'link' has changed");
}

Test(journal, a_change_of_the_owner_of_an_equal_file_is_found)
{
    struct lod_source *file = at("a/2.jpg");

    file->role = LOD_SOURCE_EQUAL;
    file->owner = (uint32_t)(at("a/1.jpg") - list.at);
    check_other("'a/2.jpg' has changed");
    write_and_read();
    cr_assert_eq(compare(OPTIONS, 5), 0);
    file->owner = (uint32_t)(at("a/10.jpg") - list.at);
    check_other("'a/2.jpg' has changed");
}

Test(journal, new_and_missing_names_are_found)
{
    add("a/11.jpg", LOD_SOURCE_FILE, 1);
    check_other("'a/11.jpg' is new");
    write_and_read();
    add("z\nz", LOD_SOURCE_FILE, 1);
    check_other("'z\\x0az' is new");
    write_and_read();
    list.count--;
    check_other("'z\\x0az' is gone");
    lod_source_list_finish(&list);
    check_other("'' is gone");
}

Test(journal, another_choice_of_scripts_is_found)
{
    cr_assert_eq(compare(OPTIONS, 6), -EEXIST);
    cr_assert_not_null(strstr(why, "photographs"));
}

static void spoil(off_t offset, const void *bytes, size_t count)
{
    int file = openat(fd, LOD_JOURNAL_NAME, O_WRONLY);

    cr_assert_eq(pwrite(file, bytes, count, offset), (ssize_t)count);
    close(file);
}

Test(journal, a_journal_with_a_flipped_bit_is_refused)
{
    struct lod_journal other = {0};

    for (size_t i = 0; i < journal.file.bytes; i++) {
        uint8_t right = journal.file.data[i], wrong = right ^ 4;
        spoil((off_t)i, &wrong, 1);
        cr_assert_eq(lod_journal_read(fd, &other), -EBADMSG, "byte %zu", i);
        spoil((off_t)i, &right, 1);
    }
    cr_assert_eq(lod_journal_read(fd, &other), 0);
    lod_journal_finish(&other);
}

Test(journal, a_cut_journal_is_refused)
{
    struct lod_journal other = {0};
    int file = openat(fd, LOD_JOURNAL_NAME, O_WRONLY);

    for (off_t bytes = (off_t)journal.file.bytes; bytes-- > 0;) {
        cr_assert_eq(ftruncate(file, bytes), 0);
        cr_assert_eq(lod_journal_read(fd, &other), -EBADMSG);
    }
    close(file);
    unlinkat(fd, LOD_JOURNAL_NAME, 0);
    cr_assert_eq(lod_journal_read(fd, &other), -ENOENT);
    cr_assert_eq(symlinkat("/etc/passwd", fd, LOD_JOURNAL_NAME), 0);
    cr_assert_eq(lod_journal_read(fd, &other), -EBADMSG);
}

/* With a right hash: only the lengths inside are wrong. */
Test(journal, wrong_lengths_are_refused)
{
    static const size_t lengths_at[] = {24, 26 + sizeof(OPTIONS) - 1, 28 + sizeof(OPTIONS) - 1};

    for (size_t i = 0; i < sizeof(lengths_at) / sizeof(lengths_at[0]); i++) {
        uint8_t *length = journal.file.data + lengths_at[i];
        const uint16_t before = lod_get_le16(length);
        lod_put_le16(length, 0xffff);
        cr_assert_eq(compare(OPTIONS, 5), -EBADMSG, "%zu", i);
        lod_put_le16(length, before);
    }
    for (size_t bytes = journal.file.bytes; bytes-- > 0;) {
        journal.file.bytes = bytes;
        cr_assert_neq(compare(OPTIONS, 5), 0, "%zu", bytes);
    }
}

Test(journal, options_are_printed_as_on_the_command_line)
{
    const struct lod_script *lean = lod_script_named("lean"), *best = lod_script_named("best");
    const struct lod_span none = {0};
    char text[LOD_JOURNAL_OPTIONS_MAX + 1], other[LOD_JOURNAL_OPTIONS_MAX + 1];

    struct lod_pack_options chosen = {.order = {.seed = 9, .record_bytes = 65536},
                                      .scans_name = "lean",
                                      .l3_name = "small",
                                      .tables.text.cut.batch_rows = 7,
                                      .levels = {.at = {"*.png"}, .count = 1},
                                      .follow = true,
                                      .raw_plain = true};
    lod_pack_lines(&chosen, none, text);
    cr_assert_not_null(strstr(text,
                              "\n--order=shuffle\n--seed=9\n--record-size=65536\n"
                              "--scans=lean\n--full=scans\n--l3=small\n--raw=plain\n"
                              "--original=auto\n"
                              "--symlinks=follow\n--batch-rows=7\n--levels=*.png (1 of hash "));
    chosen.top = 4;
    lod_pack_lines(&chosen, none, text);
    cr_assert_not_null(strstr(text, "\n--full=source --top=q4\n"));
    chosen.scans_name = "file";
    chosen.scans = lean;
    lod_pack_lines(&chosen, none, text);
    chosen.scans = best;
    lod_pack_lines(&chosen, none, other);
    cr_assert_str_neq(text, other);
    chosen.keep = true;
    lod_pack_lines(&chosen, none, text);
    cr_assert_str_neq(text, other);
    chosen.order.record_bytes = 0;
    chosen.splits.text = "train,v";
    lod_pack_lines(&chosen, (struct lod_span){(const uint8_t *)"a\t1\n", 4}, text);
    cr_assert_not_null(strstr(text, "\n--record-size=auto\n"));
    cr_assert_not_null(strstr(text, "\n--splits=train,v of hash "));
    cr_assert_not_null(strstr(text, "\n--labels of contents "));
}
