/* SPDX-License-Identifier: Apache-2.0 */
/* What a table becomes: its own item, shards, the schema, perhaps labels; as sources of the list.
 */
#ifndef LOD_TABLE_PARTS_H
#define LOD_TABLE_PARTS_H

#include "compiler.h"
#include "pack/tables.h"

/* Lays out the parts of `file`, which is the table, and points it to them. -ENOMEM. */
LOD_MUST_CHECK int lod_table_parts_make(struct lod_table_found *found, struct lod_source *file);

/*
 * Adds the folder `path` and what is in it to the list, beside the table's name `source`; behind
 * the first folder of a table, further ones are of equal files. The list has to be sorted again.
 */
LOD_MUST_CHECK int lod_table_parts_add(struct lod_table_found *found, struct lod_source_list *list,
                                       uint32_t source, const char *path);

#endif
