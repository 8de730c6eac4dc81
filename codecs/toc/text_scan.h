/* SPDX-License-Identifier: Apache-2.0 */
/* What the passes over a text table share; text_scan.c and csv_columns.c alone include it. */
#ifndef LOD_TEXT_SCAN_H
#define LOD_TEXT_SCAN_H

#include "list.h"
#include "toc/csv_read.h"
#include "toc/libsvm_read.h"
#include "toc/text_table.h"

#define LOD_SCAN_WHY_BYTES 512

struct lod_text_scan {
    struct lod_text_options options;
    struct lod_text_table table;
    struct lod_data_table cut; /* rows a shard, and starts */
    LOD_LIST(struct lod_table_start) starts;
    bool gathering; /* the second pass */
    bool begun;     /* a record of this pass was taken */
    uint64_t byte, line, rows;
    uint32_t index_max;
    size_t names_bytes;
    struct lod_csv_row csv;
    struct lod_libsvm_row libsvm;
    char why[LOD_SCAN_WHY_BYTES];
};

/*
 * The record in scan->csv, of a first or second pass: names of columns, which of them are of text,
 * their categories. *ret_row: it is a row of the table. -EILSEQ, -E2BIG with scan->why; -ENOMEM.
 */
LOD_MUST_CHECK int lod_csv_columns_look(struct lod_text_scan *scan, bool *ret_row);

#endif
