/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a folder that belong to a picture (FORMAT.md, Samples): a.jpg, a.txt and a.seg.png
 * are one sample. Names and codecs decide.
 */
#ifndef LOD_SAMPLE_GROUP_H
#define LOD_SAMPLE_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "sample/sample_name.h"
#include "sample/sample_tree.h"

/* Defines the items that are pictures. */
struct lod_sample_kinds {
    /* The store has items of picture codecs; without them, raw files count as pictures. */
    bool pictures;
};
LOD_MUST_CHECK int lod_sample_kinds_find(const struct lod_sample_tree *tree,
                                         struct lod_sample_kinds *ret_kinds);

/*
 * Returns the rank of a record's items as leads, the smallest is first; 0: they are not pictures.
 */
unsigned lod_sample_rank(const struct lod_sample_kinds *kinds,
                         const struct lod_sample_record *record);

/* The sample that a picture leads. Its members are among the nodes around its own. */
struct lod_sample_group {
    enum lod_sample_form form; /* NONE: another picture leads the group */
    uint8_t before, after;     /* nodes that can be members */
};

/* Finds the group of a picture, whose node is neither ALIAS nor VIRTUAL. */
LOD_MUST_CHECK int lod_sample_group_find(const struct lod_sample_tree *tree,
                                         const struct lod_sample_kinds *kinds,
                                         const struct lod_sample_node *node,
                                         struct lod_sample_group *ret_group);

/* Returns whether the file `name`, whose node is `node`, belongs to the group that the file `lead`
 * leads. */
bool lod_sample_group_has(enum lod_sample_form form, const char *lead, const char *name,
                          const struct lod_sample_node *node);

#endif
