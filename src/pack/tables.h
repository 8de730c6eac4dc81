/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files of the source are tables, and what they become: the stage of pack between the search
 * for equal files and the order. A table in .npy is stored as its shards; others that --tables
 * names get shards beside their own bytes.
 */
#ifndef LOD_TABLES_H
#define LOD_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "pack/parts.h"
#include "pack/probe.h"
#include "pack/table_options.h"
#include "progress.h"
#include "toc/table.h"
#include "toc/text_table.h"

/* A .npy smaller than this is a table only where --tables names it. */
#define LOD_TABLE_BYTES_MIN ((uint64_t)1 << 20)

/* One file that is, or may be, a table. */
struct lod_table_found {
    uint32_t file; /* its index in the list */
    enum lod_table_kind kind;
    bool wanted; /* --tables names it, or one that is equal */
    bool is_table;
    bool named;         /* some folder of shards has a name */
    uint32_t folder_at; /* once the first was added: where its files stand in the list */
    struct lod_data_table table;
    struct lod_text_scan *scan; /* owns what the table borrows */
    struct lod_parts parts;
    struct lod_buf schema, labels;
};

/* Owned by the caller, all zero to begin; the list's sources borrow from it. */
struct lod_tables {
    LOD_LIST(struct lod_table_found);
};

/*
 * Finds the tables of a list whose files were probed and compared, and adds to it what they become:
 * folders, shards, schemas. Errors have their sentence in `trouble`; the list may be sorted anew.
 */
LOD_MUST_CHECK int lod_tables_find(struct lod_probe *probe,
                                   const struct lod_tables_options *options,
                                   struct lod_progress *progress, struct lod_tables *tables);
void lod_tables_finish(struct lod_tables *tables);

#endif
