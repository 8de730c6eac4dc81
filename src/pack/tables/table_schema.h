/* SPDX-License-Identifier: Apache-2.0 */
/* Makes schema.json, which describes the rows and columns of a table's shards. */
#ifndef LOD_TABLE_SCHEMA_H
#define LOD_TABLE_SCHEMA_H

#include "buf.h"
#include "compiler.h"
#include "toc/source/table.h"

/* Appends the document. It does not have the file's name, so equal tables have equal documents. */
LOD_MUST_CHECK int lod_table_schema(const struct lod_data_table *table, struct lod_buf *into);

#endif
