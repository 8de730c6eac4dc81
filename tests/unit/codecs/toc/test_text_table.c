/* SPDX-License-Identifier: Apache-2.0 */
/* Text tables: types of columns, starts of shards, rows read shard by shard. */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toc/source/text_number.h"
#include "toc/source/text_table.h"

static struct lod_text_scan *scan;
static struct lod_data_table table;
static struct lod_text_rows rows;

static void end(void)
{
    lod_text_rows_finish(&rows);
    lod_text_scan_destroy(scan);
}

TestSuite(text_table, .fini = end);

/* Feeds steps of `step` bytes, as pack feeds a window. */
static int run(enum lod_table_kind kind, struct lod_text_options options, const char *text,
               size_t step)
{
    bool again = true;
    int error;

    lod_text_scan_destroy(scan);
    cr_assert_eq(lod_text_scan_create(kind, &options, &scan), 0);
    do {
        size_t from = 0, to = 0, all = strlen(text), taken;
        error = 0;
        while (!error && to < all) {
            to = to + step < all ? to + step : all;
            struct lod_span bytes = {(const uint8_t *)text + from, to - from};
            error = lod_text_scan_feed(scan, bytes, to == all, &taken);
            from += taken;
        }
        error = error ? error : lod_text_scan_end(scan, &again);
    } while (!error && again);
    if (!error) {
        lod_text_scan_table(scan, &table);
    }
    return error;
}

static void take_shard(const char *text, uint32_t shard)
{
    const struct lod_table_start *start = &table.starts[shard];
    struct lod_span bytes = {(const uint8_t *)text + start->byte, start[1].byte - start->byte};

    lod_text_rows_finish(&rows);
    cr_assert_eq(lod_text_table_rows(table.text, bytes, lod_table_shard(&table, shard).rows, &rows),
                 0);
}

static double at(uint32_t row, uint32_t column)
{
    for (uint64_t i = rows.starts[row]; i < rows.starts[row + 1]; i++) {
        if (rows.column[i] == column) {
            return rows.value[i];
        }
    }
    return 0;
}

Test(text_table, numbers_of_text)
{
    static const struct {
        const char *text;
        enum lod_number kind;
        double number;
    } cases[] = {
        {"1", LOD_NUMBER, 1},
        {" -2.50 ", LOD_NUMBER, -2.5},
        {"+.5", LOD_NUMBER, .5},
        {"5.", LOD_NUMBER, 5},
        {"1e3", LOD_NUMBER, 1000},
        {"1E-400", LOD_NUMBER, 0},
        {"0.1", LOD_NUMBER, .1},
        {"123456789012345678", LOD_NUMBER_ROUNDED, 123456789012345678.},
        {"0.00000000000000000000000000000000000000000000000123", LOD_NUMBER, 1.23e-48},
        {"-inf", LOD_NUMBER, -HUGE_VAL},
        {"Infinity", LOD_NUMBER, HUGE_VAL},
        {"9007199254740993", LOD_NUMBER_ROUNDED, 9007199254740992.},
        {"-0009007199254740993", LOD_NUMBER_ROUNDED, -9007199254740992.},
        {"+18446744073709551617", LOD_NUMBER_ROUNDED, 18446744073709551616.},
        {"18446744073709551616", LOD_NUMBER, 18446744073709551616.},
        {"9007199254740993.", LOD_NUMBER, 9007199254740992.},
        {"0.9007199254740993", LOD_NUMBER, .9007199254740993},
        {"9007199254740993e0", LOD_NUMBER, 9007199254740992.},
        {"2.2250738585072011e-308", LOD_NUMBER, 2.2250738585072011e-308},
        {"1e", LOD_NUMBER_NONE, 0},
        {"0x10", LOD_NUMBER_NONE, 0},
        {"1 2", LOD_NUMBER_NONE, 0},
        {"1.2.3", LOD_NUMBER_NONE, 0},
        {".", LOD_NUMBER_NONE, 0},
        {"-", LOD_NUMBER_NONE, 0},
        {"red", LOD_NUMBER_NONE, 0},
        {"1,5", LOD_NUMBER_NONE, 0},
    };
    double number = 0;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lod_span text = {(const uint8_t *)cases[i].text, strlen(cases[i].text)};
        cr_assert_eq(lod_text_number(text, &number), cases[i].kind, "%s", cases[i].text);
        cr_assert(cases[i].kind == LOD_NUMBER_NONE || number == cases[i].number, "%s",
                  cases[i].text);
    }
    static const char *const missing[] = {"",  "  ",   "NA",   "n/a",  "NaN", "null",
                                          "?", "None", "#N/A", "<NA>", "-nan"};
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
        struct lod_span text = {(const uint8_t *)missing[i], strlen(missing[i])};
        cr_assert_eq(lod_text_number(text, &number), LOD_NUMBER_MISSING, "%s", missing[i]);
        cr_assert(isnan(number));
    }
    cr_assert(lod_text_number((struct lod_span){(const uint8_t *)"-0", 2}, &number) == LOD_NUMBER);
    cr_assert(number == 0 && signbit(number));
}

static const char csv[] = "\xef\xbb\xbfname,size,\"of, it\"\r\n"
                          "red,1.5,\r\n"
                          "\r\n"
                          "\"gr\"\"een\",-0.0,2\n"
                          ",NA,3\n"
                          "red,0,4";

Test(text_table, categories_become_columns)
{
    for (size_t step = 1; step < sizeof(csv); step += 7) {
        cr_assert_eq(run(LOD_TABLE_CSV, (struct lod_text_options){.one_hot = true}, csv, step), 0);
        cr_assert(table.rows == 4 && table.columns == 4 && table.shards == 1);
        const struct lod_text_column *column = table.text->columns;
        cr_assert_str_eq(column[0].name, "name");
        cr_assert_str_eq(column[2].name, "of, it");
        cr_assert_eq(column[0].count, 2);
        cr_assert_str_eq(column[0].categories[0], "gr\"een");
        cr_assert_str_eq(column[0].categories[1], "red");
        cr_assert(column[1].first == 2 && column[2].first == 3 && column[1].count == 0);
        take_shard(csv, 0);
        cr_assert(at(0, 0) == 0 && at(0, 1) == 1 && at(0, 2) == 1.5 && isnan(at(0, 3)));
        cr_assert(at(1, 0) == 1 && signbit(at(1, 2)) && at(1, 3) == 2);
        cr_assert(at(2, 0) == 0 && at(2, 1) == 0 && isnan(at(2, 2)), "a category may be missing");
        cr_assert_eq(rows.entries, 10, "zeros are left out");
    }
}

static void check_refused(enum lod_table_kind kind, const char *text, int error, const char *why)
{
    cr_assert_eq(run(kind, (struct lod_text_options){0}, text, 3), error, "%s", text);
    cr_assert_not_null(strstr(lod_text_scan_why(scan), why), "%s: %s", text,
                       lod_text_scan_why(scan));
}

Test(text_table, what_is_wrong_is_said_with_its_line)
{
    check_refused(LOD_TABLE_CSV, csv, -EILSEQ, "line 2, column 1 (name): 'red' is no number");
    check_refused(LOD_TABLE_CSV, "1,2\n3,x\n", -EILSEQ, "line 2, column 2: 'x'");
    check_refused(LOD_TABLE_CSV, "1,2\n\n3\n", -EILSEQ, "line 3: it has 1 fields");
    check_refused(LOD_TABLE_CSV, "a,b\n1,\"2\n3,4\n", -EILSEQ, "line 2: a quote is not closed");
    check_refused(LOD_TABLE_CSV, "1,\"\n\n\",x\n", -EILSEQ, "line 1, column 2");
    check_refused(LOD_TABLE_CSV, "a,b\n", -EILSEQ, "it has no rows");
    check_refused(LOD_TABLE_CSV, "", -EILSEQ, "it has no rows");
    check_refused(LOD_TABLE_LIBSVM, "1 1:2\n# c\n2 1:x\n", -EILSEQ, "line 3: a value");
    check_refused(LOD_TABLE_LIBSVM, "1\n", -EILSEQ, "it has no columns");
}

Test(text_table, too_many_categories)
{
    struct lod_buf text = {0};
    char line[32];

    cr_assert_eq(lod_buf_append(&text, "x\n", 2), 0);
    for (unsigned i = 0; i <= LOD_TEXT_CATEGORIES_MAX; i++) {
        int bytes = snprintf(line, sizeof(line), "c%u\n", i);
        cr_assert_eq(lod_buf_append(&text, line, (size_t)bytes), 0);
    }
    cr_assert_eq(lod_buf_append(&text, "", 1), 0);
    cr_assert_eq(run(LOD_TABLE_CSV, (struct lod_text_options){.one_hot = true},
                     (const char *)text.data, 4096),
                 -EILSEQ);
    cr_assert_not_null(strstr(lod_text_scan_why(scan), "line 2, column 1 (x): a field that is no"));
    lod_buf_finish(&text);
}

/* One field of a column of numbers is misspelt: the message is about its line. */
Test(text_table, a_misspelt_number_is_named_and_not_the_numbers_after_it)
{
    struct lod_buf text = {0};
    char line[32];

    for (unsigned i = 0; i < 2 * LOD_TEXT_CATEGORIES_MAX; i++) {
        int bytes = snprintf(line, sizeof(line), i == 99 ? "1o0\n" : "%u\n", i);
        cr_assert_eq(lod_buf_append(&text, line, (size_t)bytes), 0);
    }
    cr_assert_eq(lod_buf_append(&text, "", 1), 0);
    cr_assert_eq(run(LOD_TABLE_CSV, (struct lod_text_options){.one_hot = true},
                     (const char *)text.data, 4096),
                 -EILSEQ);
    cr_assert_not_null(strstr(lod_text_scan_why(scan), "line 100, column 1: "), "%s",
                       lod_text_scan_why(scan));
    lod_buf_finish(&text);
}

/* Only columns of numbers round: in a text column each number is a category of its own. */
Test(text_table, integers_that_a_shard_rounds_are_named)
{
    const struct lod_text_options options = {.one_hot = true};

    cr_assert_eq(run(LOD_TABLE_CSV, options, "id,x\n1,2\n9007199254740993,3\n", 5), 0);
    cr_assert_not_null(strstr(lod_text_scan_rounded(scan), "line 3, column 1 (id): "));
    cr_assert_eq(run(LOD_TABLE_CSV, options, "id,x\n9007199254740992,2\n", 5), 0);
    cr_assert_null(lod_text_scan_rounded(scan));
    cr_assert_eq(run(LOD_TABLE_CSV, options, "id\n9007199254740993\nred\n", 5), 0);
    cr_assert_null(lod_text_scan_rounded(scan));
}

Test(text_table, sparse_lines_and_their_shards)
{
    static const char text[] = "1 1:2 3:1\n-1 2:5\n# none\n1\n0.5 3:0\n2 1:7\n";
    const struct lod_text_options options = {.cut = {.shard_rows = 2}};
    double label;

    for (size_t step = 1; step < sizeof(text); step += 5) {
        cr_assert_eq(run(LOD_TABLE_LIBSVM, options, text, step), 0);
        cr_assert(table.rows == 5 && table.columns == 3 && table.shards == 3);
        cr_assert_eq(lod_table_shard(&table, 2).first, 4);
        cr_assert_eq(lod_table_shard(&table, 2).rows, 1);
        take_shard(text, 0);
        cr_assert(at(0, 0) == 2 && at(0, 2) == 1 && at(1, 1) == 5);
        take_shard(text, 1);
        cr_assert_eq(rows.entries, 0);
        take_shard(text, 2);
        cr_assert_eq(at(0, 0), 7);
        memcpy(&label, table.text->labels.data + 24, 8);
        cr_assert(label == .5 && table.text->labels.bytes == 40);
    }
    cr_assert_eq(run(LOD_TABLE_LIBSVM, options, "1 0:1 2:1\n", 4), 0);
    cr_assert_eq(table.columns, 3, "an index of 0 says that they count from 0");
}

Test(text_table, text_that_changed_is_refused)
{
    static const char text[] = "1,2\n3,4\n5,6\n";
    static const char *const changed[] = {"1,2\n3,4\n", "1,2\n3,4\n5,6\n7,8\n", "1,2\n3,x\n5,6\n",
                                          "1,2\n3,4,5\n5,6\n", "1,2\n\"3,4\n5,6\n"};

    cr_assert_eq(run(LOD_TABLE_CSV, (struct lod_text_options){0}, text, 100), 0);
    for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
        struct lod_span bytes = {(const uint8_t *)changed[i], strlen(changed[i])};
        cr_assert_eq(lod_text_table_rows(table.text, bytes, 3, &rows), -EILSEQ, "%s", changed[i]);
    }
}
