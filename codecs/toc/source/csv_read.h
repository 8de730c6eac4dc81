/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads CSV record by record (RFC 4180): fields between delimiters; quoted fields, with "" for a
 * quote and line breaks inside; lines that end in \n or \r\n. The meaning of fields is in
 * text_table.h.
 */
#ifndef LOD_CSV_READ_H
#define LOD_CSV_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "bytes.h"
#include "compiler.h"

/* Limits of a record in any text table. */
#define LOD_TEXT_LINE_MAX   ((size_t)16 << 20)
#define LOD_CSV_COLUMNS_MAX 65536u

/* The message about a NUL byte, which occurs neither in UTF-8 nor in Latin-1 text. */
#define LOD_TEXT_NUL "it has a NUL byte; `iconv -f UTF-16 -t UTF-8` makes text of UTF-16"

/*
 * The unquoted fields of one record. Initialise to all zero; the memory is reused for each record.
 */
struct lod_csv_row {
    struct lod_buf text;
    size_t *end; /* end of each field in `text` */
    uint32_t count, room;
    uint32_t lines; /* lines of the file that the record takes */
};

void lod_csv_row_finish(struct lod_csv_row *row);

static inline struct lod_span lod_csv_field(const struct lod_csv_row *row, uint32_t field)
{
    size_t from = field ? row->end[field - 1] : 0;
    const uint8_t *at =
        from ? row->text.data + from : row->text.data; /* NULL if all fields are empty */
    return (struct lod_span){.at = at, .bytes = row->end[field] - from};
}

/*
 * Reads the record at the start of `bytes`, including its line break. A blank line is a record
 * without fields. Returns -EAGAIN if the record continues past `bytes`, never if they are the
 * `last`. Returns -EILSEQ or -E2BIG with *ret_why for an unclosed or misplaced quote, a NUL byte or
 * a limit; row->lines then counts the lines before the error. -ENOMEM.
 */
LOD_MUST_CHECK int lod_csv_take(struct lod_csv_row *row, char delimiter, struct lod_span bytes,
                                bool last, size_t *ret_taken, const char **ret_why);

/* Returns the most frequent of , ; and tab in the first line; a comma if there is none. */
char lod_csv_delimiter(struct lod_span bytes);

#endif
