/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes a lower bound of the size of a TREE shard from a sample's distinct pairs, without
 * building the tree. On noise the bound exceeds RAW, and building the tree would take the most
 * time. For encoders.
 */
#ifndef LOD_TREE_BOUND_WRITE_H
#define LOD_TREE_BOUND_WRITE_H

#include <stdint.h>

#include "compiler.h"
#include "toc/encode/shard_write.h"
#include "toc/encode/values_write.h"

/* `values` are those of the sample, after lod_values_decide. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_tree_bound(const struct lod_shard_plan *plan,
                                  const struct lod_sparse *sparse,
                                  const struct lod_values_write *values, uint64_t *ret_bytes);

#endif
