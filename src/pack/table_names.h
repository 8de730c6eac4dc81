/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders of shards and their names: STEM.toc beside the table, or NAME.toc where STEM.toc is
 * taken or two tables share the stem; none where both are taken or too long.
 */
#ifndef LOD_TABLE_NAMES_H
#define LOD_TABLE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "pack/source.h"

struct lod_table_name {
    uint32_t source; /* the table's name, by its index in the list */
    char *path;      /* of the folder; NULL: it has none */
};

/* All zero to begin. */
struct lod_table_names {
    LOD_LIST(struct lod_table_name);
};

/* In the order of the list. -ENOMEM. */
LOD_MUST_CHECK int lod_table_names_add(struct lod_table_names *names, uint32_t source);

/* Chooses all paths. -ENOMEM. */
LOD_MUST_CHECK int lod_table_names_choose(struct lod_table_names *names,
                                          const struct lod_source_list *list);
void lod_table_names_finish(struct lod_table_names *names);

#endif
