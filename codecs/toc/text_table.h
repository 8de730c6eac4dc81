/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the text of a .csv or .libsvm file means as a table of doubles: columns, names, categories,
 * and where each shard begins. Found by one or two passes over the whole file; its rows are then
 * read shard by shard, by any number of threads.
 */
#ifndef LOD_TEXT_TABLE_H
#define LOD_TEXT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "bytes.h"
#include "compiler.h"
#include "toc/table.h"

/* Limits, beside those of csv_read.h and libsvm_read.h. */
#define LOD_TEXT_CATEGORIES_MAX  4096u                /* of a column */
#define LOD_TEXT_NAMES_MAX       ((size_t)4 << 20)    /* bytes of all names and categories */
#define LOD_TEXT_LABELS_MAX      ((uint64_t)1 << 27)  /* rows of a .libsvm */
#define LOD_TEXT_SHARD_BYTES_MAX ((uint64_t)32 << 20) /* a shard ends when its text passes this */
#define LOD_TEXT_ENTRIES_MAX     ((uint64_t)4 << 20)  /* .. or this many fields; 12 bytes each */

struct lod_text_options {
    bool one_hot; /* columns of other than numbers become one column a category */
    struct lod_table_options cut;
};

/* One column of a .csv. */
struct lod_text_column {
    const char *name;  /* NULL: there is no header */
    bool text;         /* some field is no number */
    uint32_t first;    /* of the table's columns */
    char **categories; /* sorted by their bytes, one column each; count 0: a column of numbers */
    uint32_t count;
};

struct lod_text_table {
    enum lod_table_kind kind;
    char delimiter;
    bool header;
    bool zero_based;                 /* LIBSVM: an index is 0 */
    struct lod_text_column *columns; /* CSV */
    uint32_t columns_count;
    struct lod_buf labels; /* LIBSVM: a double a row, little endian */
};

struct lod_text_scan; /* the passes, text_scan.c */

LOD_MUST_CHECK int lod_text_scan_create(enum lod_table_kind kind,
                                        const struct lod_text_options *options,
                                        struct lod_text_scan **ret_scan);
struct lod_text_scan *lod_text_scan_destroy(struct lod_text_scan *scan);

/*
 * Takes whole records off the start of `bytes`, which go on behind them unless they are the `last`:
 * then all is taken. -EILSEQ, -E2BIG: see lod_text_scan_why. -ENOMEM.
 */
LOD_MUST_CHECK int lod_text_scan_feed(struct lod_text_scan *scan, struct lod_span bytes, bool last,
                                      size_t *ret_taken);

/* The file has ended. *ret_again: it has to be fed once more. Errors as of feed. */
LOD_MUST_CHECK int lod_text_scan_end(struct lod_text_scan *scan, bool *ret_again);

/* "line 12: .."; names in it are not escaped. Of the last error of feed or end. */
const char *lod_text_scan_why(const struct lod_text_scan *scan);

/* After the last pass: the table, borrowed from the scan, which must not be used otherwise then. */
void lod_text_scan_table(struct lod_text_scan *scan, struct lod_data_table *ret_table);

/* Rows as compressed sparse rows of doubles; arrays are owned. All zero to begin. */
struct lod_text_rows {
    uint64_t *starts;
    uint32_t *column;
    double *value;
    uint32_t rows;
    uint64_t entries, room;
};
void lod_text_rows_finish(struct lod_text_rows *rows);

/* `bytes` are all of the text of `count` rows. -EILSEQ: they are not. -ENOMEM. */
LOD_MUST_CHECK int lod_text_table_rows(const struct lod_text_table *table, struct lod_span bytes,
                                       uint32_t count, struct lod_text_rows *ret_rows);

#endif
