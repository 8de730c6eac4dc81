/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the tables of a source and adds their shards to the list. This stage of pack comes after
 * the search for equal files and before the order. A table in .npy is stored as its shards; other
 * tables that --tables names get shards beside their own bytes.
 */
#ifndef LOD_TABLES_H
#define LOD_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "pack/plan/subitems.h"
#include "pack/source/probe.h"
#include "terminal/progress.h"
#include "toc/source/table.h"
#include "toc/source/text_table.h"
#include "option.h"

/* The options of pack for tables. */
struct lod_tables_options {
    struct lod_option_list globs; /* match the name, or, if they have a slash, the path */
    struct lod_text_options text; /* its `cut` applies to all kinds of tables */
};

/* A smaller .npy is a table only if --tables names it. */
#define LOD_TABLE_BYTES_MIN ((uint64_t)1 << 20)

/* A file that is a table, or that may be one. */
struct lod_table_found {
    uint32_t file; /* its index in the list */
    enum lod_table_kind kind;
    bool wanted; /* --tables names it or an equal file */
    bool is_table;
    char *malformed;    /* why a file that --tables names cannot be read as a table; for free() */
    bool named;         /* at least one folder of shards has a name */
    uint32_t folder_at; /* index of the files of the first folder in the list, once added */
    struct lod_data_table table;
    struct lod_text_scan *scan; /* owns data that the table borrows */
    struct lod_subitems parts;
    struct lod_buf schema, labels;
};

/* Owned by the caller; initialise with zeros. The sources of the list borrow from it. */
struct lod_tables {
    LOD_LIST(struct lod_table_found);
};

/* Returns the table whose parts a source of the list points to. */
const struct lod_table_found *lod_table_of(const struct lod_subitems *parts);

/*
 * Finds the tables of a list whose files were probed and compared. Adds their folders, shards and
 * schemas to the list, which may be sorted again. Errors have a message.
 */
LOD_MUST_CHECK int lod_tables_find(struct lod_probe *probe,
                                   const struct lod_tables_options *options,
                                   struct lod_progress *progress, struct lod_tables *tables);
void lod_tables_finish(struct lod_tables *tables);

#endif
