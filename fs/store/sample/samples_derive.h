/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives the rows of SAMP and SUMS from nodes, items and records. So pack and repair write the
 * same rows, and verify compares them with those of an index.
 */
#ifndef LOD_SAMPLES_DERIVE_H
#define LOD_SAMPLES_DERIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "sample/sample_rows.h"
#include "sample/sample_tree.h"

/* All zero is empty. */
struct lod_samples {
    uint8_t *rows; /* SAMP rows, LOD_SAMPLE_ROW_BYTES for each item */
    LOD_LIST(struct lod_sums_row) sums;
    bool ascend; /* the keys of leads never decrease over the records of a split and kind */
};

/* Takes 8 bytes for an item, and a row for each record and split. Returns -ENOMEM, or an error of
 * the tree. */
LOD_MUST_CHECK int lod_samples_derive(const struct lod_sample_tree *tree,
                                      struct lod_samples *ret_samples);
void lod_samples_finish(struct lod_samples *samples);

#endif
