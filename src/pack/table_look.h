/* SPDX-License-Identifier: Apache-2.0 */
/* Looking into one file that may be a table: its header, or all of its text. */
#ifndef LOD_TABLE_LOOK_H
#define LOD_TABLE_LOOK_H

#include "compiler.h"
#include "pack/tables.h"

/*
 * Sets found->is_table and found->table if it is one. A file that --tables names and that cannot be
 * one: `why` of its source, if it is sound; else an error with its sentence in `trouble`.
 */
LOD_MUST_CHECK int lod_table_look(const struct lod_probe *probe,
                                  const struct lod_tables_options *options,
                                  struct lod_progress *progress, struct lod_table_found *found);

#endif
