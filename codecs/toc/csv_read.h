/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV, record by record (RFC 4180): fields between delimiters, quoted ones with "" for a quote and
 * line breaks inside, lines that end in \n or \r\n. Bytes in, fields out; what they mean is
 * text_table.h's.
 */
#ifndef LOD_CSV_READ_H
#define LOD_CSV_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "bytes.h"
#include "compiler.h"

/* Limits of a record of any text table. */
#define LOD_TEXT_LINE_MAX   ((size_t)16 << 20)
#define LOD_CSV_COLUMNS_MAX 65536u

/* What is said of a NUL byte, which no text has that is UTF-8 or Latin-1. */
#define LOD_TEXT_NUL "it has a NUL byte; `iconv -f UTF-16 -t UTF-8` makes text of UTF-16"

/* The fields of one record, unquoted. All zero to begin; room is kept from record to record. */
struct lod_csv_row {
    struct lod_buf text;
    size_t *end; /* of each field in `text` */
    uint32_t count, room;
    uint32_t lines; /* of the file that the record takes */
};

void lod_csv_row_finish(struct lod_csv_row *row);

static inline struct lod_span lod_csv_field(const struct lod_csv_row *row, uint32_t field)
{
    size_t from = field ? row->end[field - 1] : 0;
    const uint8_t *at = from ? row->text.data + from : row->text.data; /* NULL: all are empty */
    return (struct lod_span){.at = at, .bytes = row->end[field] - from};
}

/*
 * The record at the start of `bytes`, its line break taken too. A blank line is a record of no
 * fields. -EAGAIN: it goes on behind them (never if they are the `last`). -EILSEQ, -E2BIG with
 * *ret_why: a quote that is not closed or stands where it may not, a NUL byte, a limit; row->lines
 * then leads to its line. -ENOMEM.
 */
LOD_MUST_CHECK int lod_csv_take(struct lod_csv_row *row, char delimiter, struct lod_span bytes,
                                bool last, size_t *ret_taken, const char **ret_why);

/* The one of , ; and tab that the first line has most of; a comma if none. */
char lod_csv_delimiter(struct lod_span bytes);

#endif
