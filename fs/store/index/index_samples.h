/* SPDX-License-Identifier: Apache-2.0 */
/* An index as a tree of samples, for verify and for readers of members. */
#ifndef LOD_INDEX_SAMPLES_H
#define LOD_INDEX_SAMPLES_H

#include "index/index.h"
#include "sample/sample_tree.h"

/*
 * Copies a row of a section, whose number is below the section's count. For the rows of samples,
 * which index.c does not know.
 */
LOD_MUST_CHECK int lod_index_copy_row(struct lod_index *index, uint32_t section, uint32_t number,
                                      uint8_t *row);

/* Borrows the index. Any thread. */
struct lod_sample_tree lod_index_sample_tree(struct lod_index *index);

#endif
