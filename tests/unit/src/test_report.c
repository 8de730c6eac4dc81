/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal/report.h"

static char text[LOD_REPORT_TEXT];

Test(report, seconds_have_readable_units)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "0 s"},
                 {5e-7, "0.5 us"},
                 {3.25e-6, "3.25 us"},
                 {.00099951, "1 ms"},
                 {.0456, "45.6 ms"},
                 {.9996, "1 s"},
                 {59.4, "59.4 s"},
                 {60, "1 min 0 s"},
                 {130.9, "2 min 10 s"},
                 {3599, "59 min 59 s"},
                 {11100, "3 h 5 min"},
                 {439300, "5 d 2 h"}};

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_str_eq(lod_report_seconds(cases[i].seconds, text), cases[i].text);
    }
}

Test(report, cells_that_are_empty_leave_no_blanks)
{
    struct lod_table table = {.align = "lrl"};
    char *shown = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&shown, &bytes);

    lod_table_add(&table, "name\t\tlong cell");
    lod_table_add(&table, "n\t12\t");
    lod_table_add(&table, "\t\t");
    lod_table_add(&table, "x");
    cr_assert_eq(lod_table_print(&table, out), 0);
    fclose(out);
    cr_assert_str_eq(shown, "  name      long cell\n  n     12\n\n  x\n");
    free(shown);
}

Test(report, bytes_have_readable_units)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {1023, "1023 B"},
        {1024, "1.0 KiB"},
        {1536, "1.5 KiB"},
        {(1u << 20) - 1, "1.0 MiB"},
        {16u << 20, "16.0 MiB"},
        {UINT64_MAX, "16.0 EiB"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_str_eq(lod_report_bytes(cases[i].bytes, text), cases[i].text);
    }
}

Test(report, counts_have_commas)
{
    cr_assert_str_eq(lod_report_count(0, text), "0");
    cr_assert_str_eq(lod_report_count(999, text), "999");
    cr_assert_str_eq(lod_report_count(1000, text), "1,000");
    cr_assert_str_eq(lod_report_count(1281167, text), "1,281,167");
    cr_assert_str_eq(lod_report_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

Test(report, shares_are_percentages)
{
    cr_assert_str_eq(lod_report_share(957, 1000, text), "95.7 %");
    cr_assert_str_eq(lod_report_share(0, 5, text), "0.0 %");
    cr_assert_str_eq(lod_report_share(1, 0, text), "-");
}

static char *printed(struct lod_table *table)
{
    char *out = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&out, &bytes);

    cr_assert_eq(lod_table_print(table, stream), 0);
    fclose(stream);
    return out;
}

Test(report, tables_are_aligned)
{
    struct lod_table table = {.align = "lrl"};

    lod_table_add(&table, "name\tbytes\tnote");
    lod_table_add(&table, "%s\t%d\t%s", "caf\xc3\xa9", 5, "x");
    lod_table_add(&table, "a\t12345\tyy");
    char *out = printed(&table);
    cr_assert_str_eq(out, "  name  bytes  note\n"
                          "  caf\xc3\xa9      5  x\n"
                          "  a     12345  yy\n");
    free(out);
    cr_assert_eq(table.rows.count, 0, "printed tables are empty");
    lod_table_add(&table, "short");
    out = printed(&table);
    cr_assert_str_eq(out, "  short\n");
    free(out);
}

Test(report, facts_are_one_row_for_people_and_json)
{
    static const struct lod_fact facts[] = {{NULL, "file", "files", 0},
                                            {"folders", "folder", "folders", 1},
                                            {"links", "link", "links", 0},
                                            {"bytes", NULL, NULL, 1234},
                                            {"records", "record", "records", 1500}};
    char *shown = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&shown, &bytes);
    struct lod_json json = {.out.file = out};

    lod_facts_print(facts, 5, out);
    fflush(out);
    cr_assert_str_eq(shown, "0 files, 1 folder, 1,500 records");
    rewind(out);
    lod_json_object(&json, NULL);
    lod_facts_json(facts, 5, &json);
    lod_json_end(&json);
    fclose(out);
    cr_assert_str_eq(shown, "{\n  \"folders\": 1,\n  \"links\": 0,\n  \"bytes\": 1234,\n"
                            "  \"records\": 1500\n}\n");
    free(shown);
}
