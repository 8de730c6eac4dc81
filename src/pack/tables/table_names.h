/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of the folders of shards: STEM.toc beside the table, or NAME.toc if STEM.toc is taken
 * or two tables share the stem. If both are taken or too long, there is no folder.
 */
#ifndef LOD_TABLE_NAMES_H
#define LOD_TABLE_NAMES_H

#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "pack/source/source.h"

struct lod_table_name {
    uint32_t source; /* a name of the table: its index in the list */
    char *path;      /* of the folder; NULL: there is none */
};

/* Initialise with zeros. */
struct lod_table_names {
    LOD_LIST(struct lod_table_name);
};

/* Adds a name; names must come in the order of the list. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_table_names_add(struct lod_table_names *names, uint32_t source);

/* Chooses all paths. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_table_names_choose(struct lod_table_names *names,
                                          const struct lod_source_list *list);
void lod_table_names_finish(struct lod_table_names *names);

#endif
