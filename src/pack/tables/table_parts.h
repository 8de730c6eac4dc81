/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the parts of a table to the list of sources: its own item, shards, the schema, and labels if
 * it has any. */
#ifndef LOD_TABLE_PARTS_H
#define LOD_TABLE_PARTS_H

#include "compiler.h"
#include "pack/tables/tables.h"

/* Makes the parts of the table `file`, which then points to them. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_table_parts_make(struct lod_table_found *found, struct lod_source *file);

/*
 * Adds the folder `path` with the table's files to the list, beside `source`, one of the table's
 * names. If a table has several folders, files of all but the first are EQUAL. Afterwards the list
 * must be sorted again.
 */
LOD_MUST_CHECK int lod_table_parts_add(struct lod_table_found *found, struct lod_source_list *list,
                                       uint32_t source, const char *path);

#endif
