/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats results as text: numbers, tables with aligned columns, and facts, which are rows that
 * JSON has as well. The commands choose the contents.
 */
#ifndef LOD_REPORT_H
#define LOD_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler.h"
#include "json.h"
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

/* Returns `one` for a count of 1, else `many`. */
const char *lod_report_plural(uint64_t count, const char *one, const char *many);

#define LOD_TABLE_COLUMNS_MAX 16

/* Rows of cells. A failed allocation is reported by lod_table_print. Initialise with zeros and
 * `align`. */
struct lod_table {
    const char *align;     /* a letter for each column: l or r */
    LOD_LIST(char *) rows; /* cells separated by tabs */
    int error;
};

/* Adds a row of cells separated by tabs. */
void lod_table_add(struct lod_table *table, const char *format, ...) LOD_PRINTF(2, 3);

/* Prints all rows, indented by two blanks, with columns two blanks apart. Empties the table.
 * Returns -ENOMEM. */
LOD_MUST_CHECK int lod_table_print(struct lod_table *table, FILE *out);

/* A number of a result: printed in JSON if it has a key, and as text if it has words. */
struct lod_fact {
    const char *key;        /* NULL: not in JSON */
    const char *one, *many; /* "file", "files"; NULL: in JSON only */
    uint64_t value;
};

void lod_facts_json(const struct lod_fact *facts, size_t count, struct lod_json *json);

/* Prints "14 files, 1 folder": the first fact, and the others that are not 0. */
void lod_facts_print(const struct lod_fact *facts, size_t count, FILE *out);

#endif
