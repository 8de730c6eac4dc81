/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a .csv: names, types, and the categories of text columns. See text_scan.h. */
#include "toc/source/text_scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "list.h"
#include "toc/source/text_advice.h"
#include "toc/source/text_number.h"

#define FIELD_SHOWN 40 /* bytes of a field quoted in a message */

/* Writes "line 3, column 2 (size): " and the text into scan->why. Returns -EILSEQ. */
static int say_column(struct lod_text_scan *scan, uint64_t line, uint32_t column, const char *text)
{
    const char *name = scan->table.columns[column].name;

    snprintf(scan->why, sizeof(scan->why), "line %" PRIu64 ", column %" PRIu32 "%s%.60s%s: %s",
             line, column + 1, name ? " (" : "", name ? name : "", name ? ")" : "", text);
    return -EILSEQ;
}

static int fail_no_number(struct lod_text_scan *scan, uint32_t field)
{
    const struct lod_span text = lod_csv_field(&scan->csv, field);
    const char *advice = lod_text_advice(text);
    const int shown = text.bytes < FIELD_SHOWN ? (int)text.bytes : FIELD_SHOWN;
    char why[256];

    snprintf(why, sizeof(why), "'%.*s%s' is no number; %s", shown, (const char *)text.at,
             text.bytes > FIELD_SHOWN ? ".." : "",
             advice ? advice : "--one-hot turns text into columns");
    return say_column(scan, scan->line + 1, field, why);
}

/* Returns a copy that counts against the limit of all names; NULL and *ret_error on failure. */
static char *keep_text(struct lod_text_scan *scan, struct lod_span text, int *ret_error)
{
    scan->names_bytes += text.bytes + 1;
    if (scan->names_bytes > LOD_TEXT_NAMES_MAX) {
        snprintf(scan->why, sizeof(scan->why),
                 "line %" PRIu64 ": names and categories of its columns pass 4 MiB",
                 scan->line + 1);
        *ret_error = -E2BIG;
        return NULL;
    }
    char *copy = strndup((const char *)text.at, text.bytes);
    *ret_error = copy ? 0 : -ENOMEM;
    return copy;
}

/* The first record is a header if none of its fields is a number. */
static bool is_header(const struct lod_csv_row *row)
{
    bool text = false;
    double number;

    for (uint32_t i = 0; i < row->count; i++) {
        enum lod_number kind = lod_text_number(lod_csv_field(row, i), &number);
        if (kind == LOD_NUMBER || kind == LOD_NUMBER_ROUNDED) {
            return false;
        }
        text = text || kind == LOD_NUMBER_NONE;
    }
    return text;
}

static int begin_csv(struct lod_text_scan *scan)
{
    const struct lod_csv_row *row = &scan->csv;
    struct lod_text_table *table = &scan->table;
    int error = 0;

    table->columns = calloc(row->count, sizeof(table->columns[0]));
    if (!table->columns) {
        return -ENOMEM;
    }
    table->columns_count = row->count;
    table->header = is_header(row);
    for (uint32_t i = 0; !error && table->header && i < row->count; i++) {
        table->columns[i].name = keep_text(scan, lod_csv_field(row, i), &error);
    }
    return error;
}

static int look_at_fields(struct lod_text_scan *scan)
{
    double number;

    for (uint32_t i = 0; i < scan->csv.count; i++) {
        struct lod_text_column *column = &scan->table.columns[i];
        const enum lod_number kind =
            column->text ? LOD_NUMBER : lod_text_number(lod_csv_field(&scan->csv, i), &number);
        if (kind == LOD_NUMBER_ROUNDED && !column->rounded_line) {
            column->rounded_line = scan->line + 1;
        }
        if (kind == LOD_NUMBER_NONE) {
            column->text = true;
            column->text_line = scan->line + 1;
            if (!scan->options.one_hot) {
                return fail_no_number(scan, i);
            }
        }
    }
    return 0;
}

static int compare(struct lod_span text, const char *category)
{
    const size_t bytes = strlen(category);
    const int order = memcmp(text.at, category, text.bytes < bytes ? text.bytes : bytes);

    return order ? order : (text.bytes > bytes) - (text.bytes < bytes);
}

/* Returns the index of the category among the sorted ones, or where it belongs. */
static uint32_t place_of(const struct lod_text_column *column, struct lod_span text,
                         bool *ret_there)
{
    uint32_t low = 0;

    LOD_SEARCH(low, column->count, compare(text, column->categories[middle]) > 0);
    *ret_there = low < column->count && compare(text, column->categories[low]) == 0;
    return low;
}

static int add_category(struct lod_text_scan *scan, uint32_t field)
{
    struct lod_text_column *column = &scan->table.columns[field];
    const struct lod_span text = lod_csv_field(&scan->csv, field);
    double number;
    bool there;
    int error;

    if (lod_text_number(text, &number) == LOD_NUMBER_MISSING) {
        return 0;
    }
    uint32_t at = place_of(column, text, &there);
    if (there) {
        return 0;
    }
    if (column->count == LOD_TEXT_CATEGORIES_MAX) {
        return say_column(scan, column->text_line, field,
                          "a field that is no number makes the column text, and it then has more "
                          "than 4,096 categories, the limit; correct the field, or leave the "
                          "column out");
    }
    if (!column->categories) {
        column->categories = calloc(LOD_TEXT_CATEGORIES_MAX, sizeof(char *));
        if (!column->categories) {
            return -ENOMEM;
        }
    }
    char *copy = keep_text(scan, text, &error);
    if (copy) {
        memmove(column->categories + at + 1, column->categories + at,
                (column->count++ - at) * sizeof(char *));
        column->categories[at] = copy;
    }
    return error;
}

static int gather_fields(struct lod_text_scan *scan)
{
    int error = 0;

    for (uint32_t i = 0; !error && i < scan->csv.count; i++) {
        error = scan->table.columns[i].text ? add_category(scan, i) : 0;
    }
    return error;
}

int lod_csv_columns_add(struct lod_text_scan *scan, bool *ret_row)
{
    const bool first = !scan->begun;
    int error = 0;

    scan->begun = true;
    *ret_row = false;
    if (first && !scan->gathering) {
        error = begin_csv(scan);
    }
    if (error || (first && scan->table.header)) {
        return error;
    }
    if (scan->csv.count != scan->table.columns_count) {
        snprintf(scan->why, sizeof(scan->why),
                 "line %" PRIu64 ": it has %" PRIu32 " fields, the first record %" PRIu32 "%s",
                 scan->line + 1, scan->csv.count, scan->table.columns_count,
                 scan->table.columns_count == 1 ? "; nothing may stand before the header" : "");
        return -EILSEQ;
    }
    if (scan->gathering) {
        return gather_fields(scan);
    }
    *ret_row = true;
    return look_at_fields(scan);
}

const char *lod_text_scan_rounded(struct lod_text_scan *scan)
{
    for (uint32_t i = 0; i < scan->table.columns_count; i++) {
        const struct lod_text_column *column = &scan->table.columns[i];
        if (!column->text && column->rounded_line) {
            (void)say_column(scan, column->rounded_line, i,
                             "the shards round integers like this one, beyond 2^53");
            return scan->why;
        }
    }
    return NULL;
}
