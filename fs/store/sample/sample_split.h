/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The splits of a store, such as train/ and val/, and the classes of each: the folders below it,
 * numbered in order of their names (FORMAT.md, Samples).
 */
#ifndef LOD_SAMPLE_SPLIT_H
#define LOD_SAMPLE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "sample/sample_group.h"
#include "sample/sample_tree.h"

#define LOD_SPLITS_MAX 64u /* with flag SPLIT */

struct lod_sample_splits {
    LOD_LIST(uint32_t) folders; /* nodes, ascending; only the root if there are no splits */
    LOD_LIST(uint32_t) classes; /* nodes of all splits, ascending */
};

/* Finds splits, of flags or of all pictures, and classes. -E2BIG: of too many flags. The caller
 * calls finish, also after an error. */
LOD_MUST_CHECK int lod_sample_splits_find(const struct lod_sample_tree *tree,
                                          const struct lod_sample_kinds *kinds,
                                          struct lod_sample_splits *splits);
void lod_sample_splits_finish(struct lod_sample_splits *splits);

/* Returns the split of a picture, as an index of `folders`, and the label of its folder. -ENOENT:
 * it is in none. */
LOD_MUST_CHECK int lod_sample_splits_place(const struct lod_sample_tree *tree,
                                           const struct lod_sample_splits *splits,
                                           const struct lod_sample_node *node, size_t *ret_split,
                                           int32_t *ret_label);

/* Returns whether a folder of this name makes a split. */
bool lod_split_name(const char *name);

#endif
