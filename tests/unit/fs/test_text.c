/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping of names, and formats that do so. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "text.h"

static const char *escaped(const char *name)
{
    static char text[256];
    return lod_escape(name, strlen(name), text, sizeof(text));
}

Test(text, control_sequences_are_escaped)
{
    cr_assert_str_eq(escaped("plain name.jpg"), "plain name.jpg");
    cr_assert_str_eq(escaped("a\nb\tc"), "a\\x0ab\\x09c");
    cr_assert_str_eq(escaped("\x1b[31m"), "\\x1b[31m");
    cr_assert_str_eq(escaped("\x7f"), "\\x7f");
    cr_assert_str_eq(escaped("a\\x0a"), "a\\x5cx0a");
    cr_assert_str_eq(escaped("\xc2\x9b"), "\\xc2\\x9b", "C1 control");
}

Test(text, characters_that_turn_or_break_a_line_are_escaped)
{
    cr_assert_str_eq(escaped("a\u202egpj.exe"), "a\\xe2\\x80\\xaegpj.exe", "override");
    cr_assert_str_eq(escaped("\u2028"), "\\xe2\\x80\\xa8", "line separator");
    cr_assert_str_eq(escaped("\u2066"), "\\xe2\\x81\\xa6", "first isolate");
    cr_assert_str_eq(escaped("\u2069"), "\\xe2\\x81\\xa9", "last isolate");
    cr_assert_str_eq(escaped("\u2027\u202f\u2065\u206a"), "\u2027\u202f\u2065\u206a");
}

Test(text, utf8_stays_and_anything_else_is_escaped)
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

Test(text, a_short_buffer_ends_before_an_escape_never_inside)
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

Test(text, a_nul_in_a_name_does_not_end_it)
{
    char text[32];
    cr_assert_str_eq(lod_escape("a\0b", 3, text, sizeof(text)), "a\\x00b");
}

/* Compares the formats with printf's own. */
#define SAME(...)                                                                                  \
    do {                                                                                           \
        char ours[1000], theirs[1000];                                                             \
        size_t bytes = lod_format(ours, sizeof(ours), __VA_ARGS__);                                \
        snprintf(theirs, sizeof(theirs), __VA_ARGS__);                                             \
        cr_assert_str_eq(ours, theirs);                                                            \
        cr_assert_eq(bytes, strlen(theirs));                                                       \
    } while (0)

Test(text, formats_equal_those_of_printf)
{
    SAME("plain");
    SAME("%%%s%%", "text");
    SAME("%d %i %u %x %X %o %c|%5d|%-5d|%05d", -1, 2, 3u, 255u, 255u, 8u, 'c', 7, 8, 9);
    SAME("%ld %lu %lld %llu %zu %zd %hhu", -1l, 2ul, -3ll, ~0ull, (size_t)5, (ssize_t)-6,
         (unsigned char)7);
    SAME("%" PRIu64 " %" PRIx64 " %016" PRIx64 " %#x", UINT64_MAX, UINT64_MAX, (uint64_t)1, 16u);
    SAME("%.3f %e %g %8.2f %.0f", 1.5, 2.5, 3.5, 4.567, 1e20);
    SAME("%*d %.*f %*s|%-8s|%8s|%.3s|%.*s", 6, 1, 2, 1.239, 5, "ab", "left", "right", "cut", 2,
         "cut");
}

Test(text, a_name_in_a_format_is_escaped)
{
    char text[100];

    lod_format(text, sizeof(text), "%d '%pE' and %pE: %s", 1, "a\n\\", "b\xff", "raw\n");
    cr_assert_str_eq(text, "1 'a\\x0a\\x5c' and b\\xff: raw\n");
    lod_format(text, sizeof(text), "%pE|", NULL);
    cr_assert_str_eq(text, "|");
}

Test(text, text_that_does_not_fit_is_truncated_and_flagged)
{
    char text[8];
    struct lod_out out = {.text = text, .room = sizeof(text)};

    lod_out_print(&out, "%s", "1234567");
    cr_assert(!out.full && out.used == 7);
    lod_out_print(&out, "%d", 8);
    cr_assert(out.full);
    cr_assert_str_eq(text, "1234567");
    lod_format(text, sizeof(text), "abcd%pE", "\n");
    cr_assert_str_eq(text, "abcd", "before an escape, never inside");
}

Test(text, a_name_of_any_length_goes_to_a_file)
{
    static char name[20000], back[sizeof(name)];
    FILE *file = tmpfile();

    memset(name, 'n', sizeof(name) - 1);
    lod_print(file, "%pE", name);
    rewind(file);
    cr_assert_eq(fread(back, 1, sizeof(back), file), sizeof(name) - 1);
    cr_assert_str_eq(back, name);
    fclose(file);
}
