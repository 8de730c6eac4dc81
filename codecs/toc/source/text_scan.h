/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the passes over a text table. Included only by text_scan.c and csv_columns.c. */
#ifndef LOD_TEXT_SCAN_H
#define LOD_TEXT_SCAN_H

#include "list.h"
#include "toc/source/csv_read.h"
#include "toc/source/libsvm_read.h"
#include "toc/source/text_table.h"

#define LOD_SCAN_WHY_BYTES 512

struct lod_text_scan {
    struct lod_text_options options;
    struct lod_text_table table;
    struct lod_data_table cut; /* rows a shard, and the shards' starts */
    LOD_LIST(struct lod_table_start) starts;
    bool gathering; /* in the second pass */
    bool begun;     /* this pass has read a record */
    uint64_t byte, line, rows;
    uint32_t index_max;
    size_t names_bytes;
    struct lod_csv_row csv;
    struct lod_libsvm_row libsvm;
    char why[LOD_SCAN_WHY_BYTES];
};

/*
 * Processes the record in scan->csv in either pass: column names, text columns, categories.
 * *ret_row: the record is a row of the table, not a header. Returns -EILSEQ or -E2BIG with
 * scan->why, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_csv_columns_add(struct lod_text_scan *scan, bool *ret_row);

#endif
