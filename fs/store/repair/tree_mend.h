/* SPDX-License-Identifier: Apache-2.0 */
/* Completes the gathered tree: resolves aliases, adds folders that are not listed. */
#ifndef LOD_TREE_MEND_H
#define LOD_TREE_MEND_H

#include "repair/losses.h"
#include "repair/salvaged.h"

/*
 * Gives aliases (entries with ALIAS and a target) the item of their owner. Aliases whose owner is
 * lost are dropped and reported. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_tree_mend_aliases(struct lod_salvage *salvage,
                                         struct lod_repair_report *report);

/* If the tree list is incomplete: adds the folders of all paths, with mode 0755 and time 0. */
LOD_MUST_CHECK int lod_tree_mend_folders(struct lod_salvage *salvage,
                                         struct lod_repair_report *report);

#endif
