/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How results are shown: numbers for people, tables with aligned columns, JSON. What is shown is
 * the commands' business; here is only how.
 */
#ifndef LOD_REPORT_H
#define LOD_REPORT_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler.h"
#include "list.h"

#define LOD_REPORT_TEXT 32

/* "0 B", "1023 B", "1.5 KiB", "16.0 MiB", ... Returns `text`. */
char *lod_report_bytes(uint64_t bytes, char text[LOD_REPORT_TEXT]);

/* "1,281,167" */
char *lod_report_count(uint64_t count, char text[LOD_REPORT_TEXT]);

/* "0 s", "3.2 us", "45 ms", "1.5 s", "2 min 10 s", "3 h 4 min", "5 d 2 h". */
char *lod_report_seconds(double seconds, char text[LOD_REPORT_TEXT]);

/* part / whole as "95.7 %"; "-" for a whole of 0. */
char *lod_report_share(uint64_t part, uint64_t whole, char text[LOD_REPORT_TEXT]);

/* "1 file", "12 files", "2 copies": the plural where it is not `one` and an s may be given. */
const char *lod_report_plural(uint64_t count, const char *one, const char *many);

#define LOD_TABLE_COLUMNS_MAX 16

/* Rows of cells; memory that is short shows when it is printed. All zero but `align` to begin. */
struct lod_table {
    const char *align;     /* a letter a column: l or r */
    LOD_LIST(char *) rows; /* cells separated by tabs */
    int error;
};

/* A row: its cells, separated by tabs. */
void lod_table_add(struct lod_table *table, const char *format, ...) LOD_PRINTF(2, 3);

/* Prints all rows behind two blanks, columns two blanks apart, and empties the table. -ENOMEM. */
LOD_MUST_CHECK int lod_table_print(struct lod_table *table, FILE *out);

/* One document and a line's end on `out`; takes the object. -ENOMEM: also for NULL. */
LOD_MUST_CHECK int lod_report_json(cJSON *object, FILE *out);

/* object[key] = a copy of a name as JSON can hold it: what is no UTF-8 is escaped as \xNN. */
LOD_MUST_CHECK int lod_report_json_name(cJSON *object, const char *key, const char *name);

#endif
