/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, tables and facts; see report.h. */
#include "terminal/report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *lod_report_bytes(uint64_t bytes, char text[LOD_REPORT_TEXT])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    unsigned unit = 0;

    /* A number that would print as 1024.0 is printed as 1.0 of the next unit. */
    while (value >= (unit ? 1023.95 : 1024) && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024;
        unit++;
    }
    snprintf(text, LOD_REPORT_TEXT, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return text;
}

char *lod_report_count(uint64_t count, char text[LOD_REPORT_TEXT])
{
    char digits[LOD_REPORT_TEXT];
    size_t bytes = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
    size_t used = 0;

    for (size_t i = 0; i < bytes; i++) {
        if (i && (bytes - i) % 3 == 0) {
            text[used++] = ',';
        }
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

#define MINUTE 60.0
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

char *lod_report_seconds(double seconds, char text[LOD_REPORT_TEXT])
{
    if (seconds <= 0) {
        snprintf(text, LOD_REPORT_TEXT, "0 s");
    } else if (seconds < .9995e-3) {
        snprintf(text, LOD_REPORT_TEXT, "%.3g us", seconds * 1e6);
    } else if (seconds < .9995) {
        snprintf(text, LOD_REPORT_TEXT, "%.3g ms", seconds * 1e3);
    } else if (seconds < MINUTE) {
        snprintf(text, LOD_REPORT_TEXT, "%.3g s", seconds);
    } else if (seconds < HOUR) {
        snprintf(text, LOD_REPORT_TEXT, "%.0f min %.0f s", floor(seconds / MINUTE),
                 floor(fmod(seconds, MINUTE)));
    } else if (seconds < DAY) {
        snprintf(text, LOD_REPORT_TEXT, "%.0f h %.0f min", floor(seconds / HOUR),
                 floor(fmod(seconds, HOUR) / MINUTE));
    } else {
        snprintf(text, LOD_REPORT_TEXT, "%.0f d %.0f h", floor(seconds / DAY),
                 floor(fmod(seconds, DAY) / HOUR));
    }
    return text;
}

char *lod_report_share(uint64_t part, uint64_t whole, char text[LOD_REPORT_TEXT])
{
    if (whole) {
        snprintf(text, LOD_REPORT_TEXT, "%.1f %%", 100 * (double)part / (double)whole);
    } else {
        snprintf(text, LOD_REPORT_TEXT, "-");
    }
    return text;
}

const char *lod_report_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

void lod_table_add(struct lod_table *table, const char *format, ...)
{
    va_list arguments;
    char *row = NULL;

    va_start(arguments, format);
    if (LOD_LIST_RESERVE(&table->rows) || vasprintf(&row, format, arguments) < 0) {
        table->error = -ENOMEM;
    } else {
        table->rows.at[table->rows.count++] = row;
    }
    va_end(arguments);
}

/* Returns the columns on a terminal: the number of bytes that begin a UTF-8 character. */
static size_t cell_width(const char *cell, size_t bytes)
{
    size_t width = 0;

    for (size_t i = 0; i < bytes; i++) {
        width += ((unsigned char)cell[i] & 0xc0) != 0x80;
    }
    return width;
}

static void measure(const struct lod_table *table, size_t widths[LOD_TABLE_COLUMNS_MAX])
{
    memset(widths, 0, LOD_TABLE_COLUMNS_MAX * sizeof(widths[0]));
    for (size_t i = 0; i < table->rows.count; i++) {
        const char *cell = table->rows.at[i];
        for (unsigned column = 0; cell && column < LOD_TABLE_COLUMNS_MAX; column++) {
            size_t bytes = strcspn(cell, "\t");
            size_t width = cell_width(cell, bytes);
            widths[column] = width > widths[column] ? width : widths[column];
            cell = cell[bytes] ? cell + bytes + 1 : NULL;
        }
    }
}

static void print_row(const struct lod_table *table, const char *cell, const size_t *widths,
                      FILE *out)
{
    size_t columns = strlen(table->align);
    int blanks = 0; /* blanks not yet printed: they are dropped at the end of a line */

    for (unsigned column = 0; cell && column < columns; column++) {
        size_t bytes = strcspn(cell, "\t");
        int pad = (int)(widths[column] - cell_width(cell, bytes));
        bool right = table->align[column] == 'r';
        blanks += 2 + (right ? pad : 0);
        if (bytes) {
            fprintf(out, "%*s%.*s", blanks, "", (int)bytes, cell);
            blanks = 0;
        }
        blanks += right ? 0 : pad;
        cell = cell[bytes] ? cell + bytes + 1 : NULL;
    }
    fputc('\n', out);
}

int lod_table_print(struct lod_table *table, FILE *out)
{
    size_t widths[LOD_TABLE_COLUMNS_MAX];
    int error = table->error;

    measure(table, widths);
    for (size_t i = 0; i < table->rows.count; i++) {
        if (!error) {
            print_row(table, table->rows.at[i], widths, out);
        }
        free(table->rows.at[i]);
    }
    free(table->rows.at);
    *table = (struct lod_table){.align = table->align};
    return error;
}

void lod_facts_json(const struct lod_fact *facts, size_t count, struct lod_json *json)
{
    for (size_t i = 0; i < count; i++) {
        if (facts[i].key) {
            lod_json_number(json, facts[i].key, (double)facts[i].value);
        }
    }
}

void lod_facts_print(const struct lod_fact *facts, size_t count, FILE *out)
{
    char text[LOD_REPORT_TEXT];
    bool began = false;

    for (size_t i = 0; i < count; i++) {
        if (facts[i].one && (!began || facts[i].value)) {
            fprintf(out, "%s%s %s", began ? ", " : "", lod_report_count(facts[i].value, text),
                    lod_report_plural(facts[i].value, facts[i].one, facts[i].many));
            began = true;
        }
    }
}
