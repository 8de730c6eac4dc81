/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rows of one shard of a text table; see text_table.h. */
#include "toc/source/text_table.h"

#include <errno.h>
#include <stdlib.h>

#include "toc/source/csv_read.h"
#include "toc/source/libsvm_read.h"
#include "toc/source/text_number.h"

void lod_text_rows_finish(struct lod_text_rows *rows)
{
    free(rows->starts);
    free(rows->column);
    free(rows->value);
    *rows = (struct lod_text_rows){0};
}

static int add(struct lod_text_rows *rows, uint32_t column, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    if (bits == 0) {
        return 0; /* -0.0 is stored, since it must be returned */
    }
    if (rows->entries == rows->room) {
        uint64_t room = rows->room ? 2 * rows->room : 4096;
        uint32_t *columns = reallocarray(rows->column, room, sizeof(*columns));
        rows->column = columns ? columns : rows->column;
        double *values = reallocarray(rows->value, room, sizeof(*values));
        rows->value = values ? values : rows->value;
        if (!columns || !values) {
            return -ENOMEM;
        }
        rows->room = room;
    }
    rows->column[rows->entries] = column;
    rows->value[rows->entries++] = value;
    return 0;
}

static int compare(const void *key, const void *at)
{
    const struct lod_span *text = key;
    const char *category = *(char *const *)at;
    const size_t bytes = strlen(category);
    const int order = memcmp(text->at, category, text->bytes < bytes ? text->bytes : bytes);

    return order ? order : (text->bytes > bytes) - (text->bytes < bytes);
}

static int add_category(struct lod_text_rows *rows, const struct lod_text_column *column,
                        struct lod_span field)
{
    double number;

    if (lod_text_number(field, &number) == LOD_NUMBER_MISSING) {
        return 0;
    }
    char **found = bsearch(&field, column->categories, column->count, sizeof(char *), compare);
    return found ? add(rows, column->first + (uint32_t)(found - column->categories), 1) : -EILSEQ;
}

static int add_csv(const struct lod_text_table *table, const struct lod_csv_row *row,
                   struct lod_text_rows *rows)
{
    int error = row->count == table->columns_count ? 0 : -EILSEQ;
    double number;

    for (uint32_t i = 0; !error && i < row->count; i++) {
        const struct lod_text_column *column = &table->columns[i];
        const struct lod_span field = lod_csv_field(row, i);
        if (column->count) {
            error = add_category(rows, column, field);
        } else {
            error = lod_text_number(field, &number) == LOD_NUMBER_NONE
                        ? -EILSEQ
                        : add(rows, column->first, number);
        }
    }
    return error;
}

/* Reads one record that is not a blank line, or none. */
static int take_csv(const struct lod_text_table *table, struct lod_csv_row *row,
                    struct lod_span bytes, size_t *ret_taken, struct lod_text_rows *rows)
{
    const char *why;
    int error = lod_csv_take(row, table->delimiter, bytes, true, ret_taken, &why);

    if (error || row->count == 0) {
        return error;
    }
    error = add_csv(table, row, rows);
    rows->rows += !error;
    return error;
}

static int take_libsvm(const struct lod_text_table *table, struct lod_libsvm_row *row,
                       struct lod_span bytes, size_t *ret_taken, struct lod_text_rows *rows)
{
    const char *why;
    int error = lod_libsvm_take(row, bytes, true, ret_taken, &why);

    for (uint32_t i = 0; !error && i < row->count; i++) {
        error = row->index[i] || table->zero_based
                    ? add(rows, row->index[i] - !table->zero_based, row->value[i])
                    : -EILSEQ;
    }
    rows->rows += !error && !row->blank;
    return error;
}

int lod_text_table_rows(const struct lod_text_table *table, struct lod_span bytes, uint32_t count,
                        struct lod_text_rows *ret_rows)
{
    struct lod_text_rows rows = {.starts = calloc((size_t)count + 1, sizeof(rows.starts[0]))};
    struct lod_libsvm_row libsvm = {0};
    struct lod_csv_row csv = {0};
    int error = rows.starts ? 0 : -ENOMEM;

    while (!error && bytes.bytes) {
        const uint32_t before = rows.rows;
        size_t taken = 0;
        error = before > count                 ? -EILSEQ
                : table->kind == LOD_TABLE_CSV ? take_csv(table, &csv, bytes, &taken, &rows)
                                               : take_libsvm(table, &libsvm, bytes, &taken, &rows);
        bytes.at += taken;
        bytes.bytes -= taken;
        if (!error && rows.rows > before && rows.rows <= count) {
            rows.starts[rows.rows] = rows.entries;
        }
    }
    error = error ? error : rows.rows == count ? 0 : -EILSEQ;
    lod_csv_row_finish(&csv);
    lod_libsvm_row_finish(&libsvm);
    if (error) {
        lod_text_rows_finish(&rows);
        return error == -E2BIG ? -EILSEQ : error;
    }
    *ret_rows = rows;
    return 0;
}
