/* SPDX-License-Identifier: Apache-2.0 */
/* schema.json: what the rows and columns of a table's shards are. */
#ifndef LOD_TABLE_SCHEMA_H
#define LOD_TABLE_SCHEMA_H

#include "buf.h"
#include "compiler.h"
#include "toc/table.h"

/* Appends the document; it says nothing of the file's name, so equal tables have equal ones. */
LOD_MUST_CHECK int lod_table_schema(const struct lod_data_table *table, struct lod_buf *into);

#endif
