/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that a TREE shard of a sample can take, told from its distinct pairs without building
 * it: on noise it is more than RAW takes, and building it is what would take longest. For encoders.
 */
#ifndef LOD_TREE_GUESS_WRITE_H
#define LOD_TREE_GUESS_WRITE_H

#include <stdint.h>

#include "compiler.h"
#include "toc/shard_write.h"
#include "toc/values_write.h"

/* `values` are those of the sample, decided. -ENOMEM. */
LOD_MUST_CHECK int lod_tree_guess(const struct lod_shard_plan *plan,
                                  const struct lod_sparse *sparse,
                                  const struct lod_values_write *values, uint64_t *ret_bytes);

#endif
