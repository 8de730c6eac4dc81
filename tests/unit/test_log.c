/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

static const char *escaped(const char *name)
{
    static char text[256];
    return lod_escape(name, strlen(name), text, sizeof(text));
}

Test(log, what_a_terminal_would_obey_is_escaped)
{
    cr_assert_str_eq(escaped("plain name.jpg"), "plain name.jpg");
    cr_assert_str_eq(escaped("a\nb\tc"), "a\\x0ab\\x09c");
    cr_assert_str_eq(escaped("\x1b[31m"), "\\x1b[31m");
    cr_assert_str_eq(escaped("\x7f"), "\\x7f");
    cr_assert_str_eq(escaped("a\\x0a"), "a\\x5cx0a");
    cr_assert_str_eq(escaped("\xc2\x9b"), "\\xc2\\x9b", "C1 control");
}

Test(log, utf8_stays_and_anything_else_is_escaped)
{
    static const char *const good[] = {"\xc3\xa9",         "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                       "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xef\xbf\xbd",
                                       "\xc2\xa0",         "\xe0\xa0\x80", "\xf0\x90\x80\x80"};
    static const char *const bad[] = {"\x80",
                                      "\xff",
                                      "\xc0\xaf",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xc3",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\x80\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xe2\x82",
                                      "\xf5\x80\x80\x80",
                                      "\xe2\x28\xa1"};
    for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        cr_assert_str_eq(escaped(good[i]), good[i]);
    }
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(strncmp(escaped(bad[i]), "\\x", 2), 0, "%u: %s", i, escaped(bad[i]));
        for (const char *at = escaped(bad[i]); *at; at++) {
            cr_assert((unsigned char)*at >= 0x20 && (unsigned char)*at < 0x7f, "%u", i);
        }
    }
}

Test(log, a_short_buffer_cuts_before_an_escape_never_inside)
{
    char text[16];
    for (size_t room = 1; room <= 8; room++) {
        memset(text, '#', sizeof(text));
        lod_escape("a\nb", 3, text, room);
        cr_assert_str_eq(text, room == 1 ? "" : room < 6 ? "a" : room == 6 ? "a\\x0a" : "a\\x0ab");
        cr_assert_eq(text[room], '#', "nothing past the room");
    }
    memset(text, '#', sizeof(text));
    lod_escape("a", 1, text, 0);
    cr_assert_eq(text[0], '#');
}

Test(log, a_nul_in_a_name_does_not_end_it)
{
    char text[32];
    cr_assert_str_eq(lod_escape("a\0b", 3, text, sizeof(text)), "a\\x00b");
}

/* What the calls write to stderr. */
static const char *logged(enum lod_log_level at, enum lod_log_level level, const char *name)
{
    static char text[20000];
    int ends[2], saved = dup(STDERR_FILENO);

    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    dup2(ends[1], STDERR_FILENO);
    lod_log_setup(at, false);
    lod_log(level, "name '%s'", name);
    dup2(saved, STDERR_FILENO);
    ssize_t bytes = read(ends[0], text, sizeof(text) - 1);
    text[bytes > 0 ? bytes : 0] = '\0';
    close(ends[0]);
    close(ends[1]);
    close(saved);
    return text;
}

Test(log, a_line_is_one_line_with_its_level)
{
    cr_assert_str_eq(logged(LOD_LOG_INFO, LOD_LOG_INFO, "a\nb"), "lodfs: name 'a\\x0ab'\n");
    cr_assert_str_eq(logged(LOD_LOG_INFO, LOD_LOG_ERROR, "a"), "lodfs: error: name 'a'\n");
    cr_assert_str_eq(logged(LOD_LOG_INFO, LOD_LOG_DEBUG, "a"), "");
    cr_assert_str_eq(logged(LOD_LOG_ERROR, LOD_LOG_WARNING, "a"), "");
}

Test(log, an_escaped_name_is_not_escaped_again)
{
    char text[32];
    lod_escape("a\n", 2, text, sizeof(text));
    cr_assert_str_eq(logged(LOD_LOG_INFO, LOD_LOG_INFO, text), "lodfs: name 'a\\x0a'\n");
}

Test(log, a_huge_line_is_cut_not_overrun)
{
    static char name[12000];
    memset(name, '\n', sizeof(name) - 1);
    const char *line = logged(LOD_LOG_INFO, LOD_LOG_INFO, name);
    cr_assert_gt(strlen(line), 8000);
    cr_assert_lt(strlen(line), 8250);
    cr_assert_eq(line[strlen(line) - 1], '\n');
}
