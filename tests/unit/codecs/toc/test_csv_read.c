/* SPDX-License-Identifier: Apache-2.0 */
/* CSV records as RFC 4180 defines them, and malformed ones. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "toc/source/csv_read.h"

static struct lod_csv_row row;

static void end(void)
{
    lod_csv_row_finish(&row);
}

TestSuite(csv_read, .fini = end);

static int take(const char *text, size_t bytes, bool last, size_t *ret_taken)
{
    const char *why = NULL;
    int error = lod_csv_take(&row, ',', (struct lod_span){(const uint8_t *)text, bytes}, last,
                             ret_taken, &why);

    cr_assert(error != -EILSEQ || why);
    return error;
}

/* Checks the first record; `fields` are its fields joined by '|'. */
static void check(const char *text, const char *fields, size_t taken)
{
    char joined[256] = "";
    size_t got = 0;

    cr_assert_eq(take(text, strlen(text), true, &got), 0, "%s", text);
    for (uint32_t i = 0; i < row.count; i++) {
        struct lod_span field = lod_csv_field(&row, i);
        strcat(joined, i ? "|" : "");
        strncat(joined, (const char *)field.at, field.bytes);
    }
    cr_assert_str_eq(joined, fields, "%s", text);
    cr_assert_eq(got, taken, "%s: %zu", text, got);
}

Test(csv_read, fields)
{
    check("a,b,c\nd", "a|b|c", 6);
    check("a,b,c\r\nd", "a|b|c", 7);
    check("a,b,c", "a|b|c", 5);
    check(",,\n", "||", 3);
    check("a,\n", "a|", 3);
    check("\"a,b\",\"c\"\"d\",\"\"\n", "a,b|c\"d|", 16);
    check("\"a\nb\",c\n", "a\nb|c", 8);
    cr_assert_eq(row.lines, 2);
    check("\"a\"\r\nb", "a", 5);
    check(" a , b \n", " a | b ", 8);
    check("\"\"\n", "", 3);
    cr_assert_eq(row.count, 1);
    check("\n1,2\n", "", 1);
    cr_assert_eq(row.count, 0, "a blank line");
    check("\r\n1,2\n", "", 2);
    cr_assert_eq(row.count, 0);
}

Test(csv_read, what_is_no_record)
{
    static const char *const bad[] = {"a,\"b\n", "a\"b,c\n", "\"a\"b,c\n", "\"a\n\n\n", "\"\"\"\n"};
    size_t taken;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(take(bad[i], strlen(bad[i]), true, &taken), -EILSEQ, "%s", bad[i]);
    }
    cr_assert_eq(take("a,\0\n", 4, true, &taken), -EILSEQ);
    cr_assert_eq(take("\"\0\"\n", 4, true, &taken), -EILSEQ);
}

Test(csv_read, every_cut_goes_on_or_is_the_same)
{
    static const char text[] = "a,\"b\"\"\r\nc\",\"\",d\r\n";
    size_t taken = 0;

    for (size_t bytes = 0; bytes < sizeof(text) - 1; bytes++) {
        cr_assert_eq(take(text, bytes, false, &taken), -EAGAIN, "%zu", bytes);
    }
    cr_assert_eq(take(text, sizeof(text) - 1, false, &taken), 0);
    cr_assert_eq(row.count, 4);
    cr_assert_eq(taken, sizeof(text) - 1);
}

Test(csv_read, limits)
{
    const size_t bytes = LOD_TEXT_LINE_MAX + 2;
    char *text = malloc(bytes);
    size_t taken;

    memset(text, '1', bytes);
    cr_assert_eq(take(text, bytes, false, &taken), -E2BIG);
    cr_assert_eq(take(text, LOD_TEXT_LINE_MAX - 1, false, &taken), -EAGAIN);
    text[0] = '"';
    cr_assert_eq(take(text, bytes, false, &taken), -E2BIG, "in a quote too");
    memset(text, ',', bytes);
    cr_assert_eq(take(text, LOD_CSV_COLUMNS_MAX - 1, true, &taken), 0);
    cr_assert_eq(row.count, LOD_CSV_COLUMNS_MAX);
    cr_assert_eq(take(text, LOD_CSV_COLUMNS_MAX, true, &taken), -E2BIG);
    free(text);
}

Test(csv_read, the_delimiter_is_what_the_first_line_has_most_of)
{
    static const struct {
        const char *text;
        char delimiter;
    } cases[] = {{"a,b,c\n", ','}, {"a;b;c,d\n1,2,3,4\n", ';'}, {"a\tb\n", '\t'},
                 {"a\n", ','},     {"\"a;b;c;d\",e\n", ','},    {"", ','}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lod_span span = {(const uint8_t *)cases[i].text, strlen(cases[i].text)};
        cr_assert_eq(lod_csv_delimiter(span), cases[i].delimiter, "%s", cases[i].text);
    }
}
