/* SPDX-License-Identifier: Apache-2.0 */
/* Making one tree of what was gathered: owners of further names, folders nobody listed. */
#ifndef LOD_TREE_MEND_H
#define LOD_TREE_MEND_H

#include "repair/losses.h"
#include "repair/salvaged.h"

/*
 * Further names (entries with ALIAS and a target) get the item of their owner; those whose owner
 * was lost are dropped and reported. -ENOMEM.
 */
LOD_MUST_CHECK int lod_tree_mend_aliases(struct lod_salvage *salvage,
                                         struct lod_repair_report *report);

/* Without a whole tree list: adds the folders that paths pass through, mode 0755, time 0. */
LOD_MUST_CHECK int lod_tree_mend_folders(struct lod_salvage *salvage,
                                         struct lod_repair_report *report);

#endif
