/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a file that may be a table: its header, or all of its text. */
#ifndef LOD_TABLE_PROBE_H
#define LOD_TABLE_PROBE_H

#include "compiler.h"
#include "pack/tables/tables.h"

/*
 * Sets found->is_table and found->table if it is a table. If --tables names a sound file that
 * cannot be one, sets `why` of its source; for a malformed one, found->malformed.
 */
LOD_MUST_CHECK int lod_table_probe(const struct lod_probe *probe,
                                   const struct lod_tables_options *options,
                                   struct lod_progress *progress, struct lod_table_found *found);

#endif
