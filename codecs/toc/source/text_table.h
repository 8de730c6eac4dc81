/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A .csv or .libsvm file as a table of doubles: columns, names, categories, and the start of each
 * shard. One or two passes over the whole file find them. Then any number of threads read its rows,
 * shard by shard.
 */
#ifndef LOD_TEXT_TABLE_H
#define LOD_TEXT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "bytes.h"
#include "compiler.h"
#include "toc/source/table.h"

/* Limits, in addition to those in csv_read.h and libsvm_read.h. */
#define LOD_TEXT_CATEGORIES_MAX 4096u               /* of a column */
#define LOD_TEXT_NAMES_MAX      ((size_t)4 << 20)   /* bytes of all names and categories */
#define LOD_TEXT_LABELS_MAX     ((uint64_t)1 << 27) /* rows of a .libsvm */
/* a shard ends when its text is longer than this */
#define LOD_TEXT_SHARD_BYTES_MAX ((uint64_t)32 << 20)
/* or when it has more fields than this, of 12 bytes each */
#define LOD_TEXT_ENTRIES_MAX ((uint64_t)4 << 20)

struct lod_text_options {
    bool one_hot; /* text columns become one column for each category */
    struct lod_table_options cut;
};

/* One column of a .csv. */
struct lod_text_column {
    const char *name;                 /* NULL: the file has no header */
    bool text;                        /* at least one field is no number */
    uint64_t text_line, rounded_line; /* of the first such field; of the first rounded integer */
    uint32_t first;                   /* its first column in the table */
    char **categories; /* sorted by bytes, one column each; count 0: a column of numbers */
    uint32_t count;
};

struct lod_text_table {
    enum lod_table_kind kind;
    char delimiter;
    bool header;
    bool zero_based;                 /* LIBSVM: the lowest index is 0 */
    struct lod_text_column *columns; /* for CSV */
    uint32_t columns_count;
    struct lod_buf labels; /* LIBSVM: a little-endian double for each row */
};

struct lod_text_scan; /* the passes; see text_scan.c */

LOD_MUST_CHECK int lod_text_scan_create(enum lod_table_kind kind,
                                        const struct lod_text_options *options,
                                        struct lod_text_scan **ret_scan);
struct lod_text_scan *lod_text_scan_destroy(struct lod_text_scan *scan);

/*
 * Reads whole records from the start of `bytes`. Unless they are the `last`, the file continues
 * after them; with the `last` everything is read. Returns -EILSEQ or -E2BIG with lod_text_scan_why,
 * or -ENOMEM.
 */
LOD_MUST_CHECK int lod_text_scan_feed(struct lod_text_scan *scan, struct lod_span bytes, bool last,
                                      size_t *ret_taken);

/*
 * Ends a pass at the end of the file. *ret_again: the file has to be fed once more. Errors as of
 * feed.
 */
LOD_MUST_CHECK int lod_text_scan_end(struct lod_text_scan *scan, bool *ret_again);

/*
 * Returns the message of the last error of feed or end: "line 12: ..". Names in it are not escaped.
 */
const char *lod_text_scan_why(const struct lod_text_scan *scan);

/*
 * After the last pass of a .csv: returns the sentence about the first integer that a shard rounds,
 * or NULL. It lives as long as the scan, which must then do nothing else.
 */
const char *lod_text_scan_rounded(struct lod_text_scan *scan);

/*
 * After the last pass: returns the table. It is borrowed from the scan, which must then do nothing
 * else.
 */
void lod_text_scan_table(struct lod_text_scan *scan, struct lod_data_table *ret_table);

/* Rows as compressed sparse rows of doubles; owns its arrays. Initialise to all zero. */
struct lod_text_rows {
    uint64_t *starts;
    uint32_t *column;
    double *value;
    uint32_t rows;
    uint64_t entries, room;
};
void lod_text_rows_finish(struct lod_text_rows *rows);

/*
 * Reads rows: `bytes` are exactly the text of `count` rows. Returns -EILSEQ if they are not, or
 * -ENOMEM.
 */
LOD_MUST_CHECK int lod_text_table_rows(const struct lod_text_table *table, struct lod_span bytes,
                                       uint32_t count, struct lod_text_rows *ret_rows);

#endif
