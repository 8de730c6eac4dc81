/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "pack/source/filter.h"

/* A pattern, a path, and whether it matches the path as a file, and as a folder. */
static const struct {
    const char *pattern, *path;
    bool file, folder;
} cases[] = {
    {"*.tmp", "a.tmp", true, true},
    {"*.tmp", "a/b/c.tmp", true, true},
    {"*.tmp", "a.tmp/b", false, false},
    {".DS_Store", "x/.DS_Store", true, true},
    {"*", ".hidden", true, true},
    {"thumbs/", "a/thumbs", false, true},
    {"thumbs/", "thumbs.jpg", false, false},
    {"a/b", "a/b", true, true},
    {"a/b", "x/a/b", false, false},
    {"/a", "a", true, true},
    {"/a", "x/a", false, false},
    {"a/b/", "a/b", false, true},
    {"a/*", "a/b", true, true},
    {"a/*", "a/b/c", false, false},
    {"*/c", "a/b/c", false, false},
    {"**/c", "c", true, true},
    {"**/c", "a/b/c", true, true},
    {"**/c", "a/b/cd", false, false},
    {"a/**", "a", false, false},
    {"a/**", "a/b/c", true, true},
    {"a/**/d", "a/d", true, true},
    {"a/**/d", "a/b/c/d", true, true},
    {"a/**/d", "a/b/c/d/e", false, false},
    {"a/**/b/**/c", "a/b/b/x/b/c", true, true},
    {"a/**/b/*", "a/b/x/b/y", true, true},
    {"**/**/x", "a/x", true, true},
    {"a**", "a/b", false, false},
    {"a//b", "a/b", false, false},
    {"[ab]/?.png", "b/1.png", true, true},
    {"[ab]/?.png", "c/1.png", false, false},
    {"[!a]*", "x/b", true, true},
    {"\\*", "x/*", true, true},
    {"\\*", "x/b", false, false},
    {"[", "x/[", true, true},
    {"n\xff*", "n\xff\xfe", true, true},
    {"new\nline", "x/new\nline", true, true},
    {"", "a", false, false},
};

Test(filter, patterns)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(lod_pattern_matches(cases[i].pattern, cases[i].path, false), cases[i].file,
                     "file: %s, %s", cases[i].pattern, cases[i].path);
        cr_assert_eq(lod_pattern_matches(cases[i].pattern, cases[i].path, true), cases[i].folder,
                     "folder: %s, %s", cases[i].pattern, cases[i].path);
    }
}

Test(filter, a_pattern_of_many_stars_ends)
{
    char pattern[4096], path[4096];

    for (size_t i = 0; i + 6 < sizeof(pattern); i += 3) {
        memcpy(pattern + i, "**/", 4);
        memcpy(path + i, "ab/", 4);
    }
    strcat(pattern, "x");
    strcat(path, "y");
    cr_assert(!lod_pattern_matches(pattern, path, false));
}

Test(filter, exclude_wins_over_include_and_folders_above_count)
{
    const struct lod_filter filter = {.exclude = {.at = {"thumbs/"}, .count = 1},
                                      .include = {.at = {"*.jpg", "*.png"}, .count = 2}};
    const struct lod_filter none = {0};

    cr_assert_null(lod_filter_why(&none, "a/b", false));
    cr_assert_null(lod_filter_why_below(&filter, "a/b.png", false));
    cr_assert_null(lod_filter_why_below(&filter, "a", true), "folders need not be included");
    cr_assert_str_eq(lod_filter_why_below(&filter, "a/b.txt", false), "not included");
    cr_assert_str_eq(lod_filter_why_below(&filter, "a/thumbs/x/b.png", false), "excluded");
    cr_assert_str_eq(lod_filter_why_below(&filter, "thumbs", true), "excluded");
}

static int read_text(const char *text, size_t bytes, struct lod_filter *filter, unsigned *line)
{
    char path[] = P_tmpdir "/lodfs-filter-XXXXXX";
    int fd = mkstemp(path);

    cr_assert_eq(write(fd, text, bytes), (ssize_t)bytes);
    close(fd);
    *filter = (struct lod_filter){0};
    int error = lod_filter_read(filter, path, line);
    unlink(path);
    return error;
}

Test(filter, files_have_a_pattern_a_line)
{
    static const char text[] = "# none\n\n*.tmp\r\n /a b \n#\n.git/";
    struct lod_filter filter;
    unsigned line;

    cr_assert_eq(read_text(text, sizeof(text) - 1, &filter, &line), 0);
    cr_assert_eq(filter.lines.count, 3);
    cr_assert_str_eq(filter.lines.at[0], "*.tmp");
    cr_assert_str_eq(filter.lines.at[1], " /a b ");
    cr_assert_str_eq(filter.lines.at[2], ".git/");
    cr_assert_str_eq(lod_filter_why_below(&filter, "x/.git/config", false), "excluded");
    lod_filter_finish(&filter);
}

Test(filter, files_that_are_no_lists_of_patterns_are_refused)
{
    char *large = malloc(LOD_FILTER_FILE_MAX + 1);
    struct lod_filter filter;
    unsigned line;

    memset(large, '#', LOD_FILTER_FILE_MAX + 1);
    cr_assert_eq(read_text(large, LOD_FILTER_FILE_MAX + 1, &filter, &line), -E2BIG);
    cr_assert_eq(read_text(large, LOD_FILTER_FILE_MAX, &filter, &line), 0);
    lod_filter_finish(&filter);
    for (size_t i = 0; i < LOD_FILTER_FILE_MAX; i++) {
        large[i] = i % 2 ? '\n' : 'x';
    }
    cr_assert_eq(read_text(large, 2 * (size_t)LOD_FILTER_PATTERNS_MAX, &filter, &line), 0);
    lod_filter_finish(&filter);
    cr_assert_eq(read_text(large, 2 * (size_t)LOD_FILTER_PATTERNS_MAX + 1, &filter, &line), -E2BIG);
    lod_filter_finish(&filter);
    free(large);
    cr_assert_eq(read_text("a\n/\n", 4, &filter, &line), -EINVAL);
    cr_assert_eq(line, 2);
    lod_filter_finish(&filter);
    cr_assert_eq(read_text("a\0b", 3, &filter, &line), -EINVAL);
    cr_assert_eq(line, 0);
    cr_assert_eq(lod_filter_read(&filter, "/", &line), -EISDIR);
    cr_assert_eq(lod_filter_read(&filter, "/nowhere", &line), -ENOENT);
}
