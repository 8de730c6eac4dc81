/* SPDX-License-Identifier: Apache-2.0 */
/* Text in HTML, and a file that appears whole. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/html.h"
#include "report/atomic_file.h"

static const char *shown(const char *text)
{
    static char into[256];
    struct lod_out out = {.text = into, .room = sizeof(into)};

    into[0] = '\0';
    lod_html_text(&out, text);
    return into;
}

Test(html, no_byte_of_a_name_is_markup)
{
    static const struct {
        const char *name, *shown;
    } cases[] = {{"", ""},
                 {"a b.jpg", "a b.jpg"},
                 {"\"><script>'", "&quot;&gt;&lt;script&gt;&#39;"},
                 {"&amp;", "&amp;amp;"},
                 {"caf\xc3\xa9", "caf\xc3\xa9"},
                 {"\xe5\x86\x99", "\xe5\x86\x99"},
                 {"a\xff<", "a\\xff&lt;"},
                 {"\xc3<", "\\xc3&lt;"},
                 {"\n\t\x1b\x7f", "\\x0a\\x09\\x1b\\x7f"},
                 {"\xc2\x9b", "\\xc2\\x9b"},
                 {"\u202ea", "\\xe2\\x80\\xaea"},
                 {"a\\b", "a\\x5cb"}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_expect_str_eq(shown(cases[i].name), cases[i].shown, "%s", shown(cases[i].name));
    }
    for (int c = 1; c < 256; c++) {
        const char name[2] = {(char)c, 0};
        cr_expect_eq(strpbrk(shown(name), "<>\"'"), NULL, "%d: %s", c, shown(name));
    }
}

struct place {
    char folder[64], path[128], other[160];
};

static struct place make_place(void)
{
    struct place place = {.folder = P_tmpdir "/lodfs-whole-XXXXXX"};

    cr_assert_not_null(mkdtemp(place.folder));
    snprintf(place.path, sizeof(place.path), "%s/page", place.folder);
    snprintf(place.other, sizeof(place.other), "%s.%d.tmp", place.path, (int)getpid());
    return place;
}

static void remove_place(const struct place *place)
{
    unlink(place->path);
    cr_expect_eq(rmdir(place->folder), 0, "something is left in %s", place->folder);
}

Test(html, a_file_appears_when_it_is_complete)
{
    const struct place place = make_place();
    struct lod_atomic_file file;

    cr_assert_eq(lod_atomic_file_open(place.path, false, &file), 0);
    fputs("page", file.out);
    cr_expect(access(place.path, F_OK) < 0);
    cr_expect_eq(lod_atomic_file_commit(&file), 0);
    cr_expect_eq(access(place.path, F_OK), 0);
    cr_expect(access(place.other, F_OK) < 0);
    cr_expect_eq(lod_atomic_file_open(place.path, false, &file), -EEXIST);
    cr_assert_eq(lod_atomic_file_open(place.path, true, &file), 0);
    lod_atomic_file_abandon(&file);
    cr_expect_eq(access(place.path, F_OK), 0);
    remove_place(&place);
}

/* Another program takes the name while the page is written. */
Test(html, a_file_that_came_meanwhile_is_kept)
{
    const struct place place = make_place();
    struct lod_atomic_file file;
    struct stat st;

    cr_assert_eq(lod_atomic_file_open(place.path, false, &file), 0);
    fputs("page", file.out);
    fclose(fopen(place.path, "w"));
    cr_expect_eq(lod_atomic_file_commit(&file), -EEXIST);
    cr_assert_eq(stat(place.path, &st), 0);
    cr_expect_eq(st.st_size, 0);
    remove_place(&place);
}
