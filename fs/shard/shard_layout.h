/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a framed file in a part of the store (FORMAT.md, Parts): the intervals of its split
 * that it consists of. Keys ascend over the records of a kind, so each kind adds one stretch of its
 * records; the records at both ends are cut where the keys pass the border. Usually that is one
 * interval. If records of different kinds alternate, there are more.
 */
#ifndef LOD_SHARD_LAYOUT_H
#define LOD_SHARD_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "shard/shard_cache.h"

/* Positions as in struct lod_shard. */
struct lod_shard_interval {
    uint64_t start, bytes;
    uint32_t first_lead, leads;
};

/*
 * Returns the layout of a file in a part; the caller unrefs it. If the cache lacks it, this visits
 * the rows of the split, and reads the directories of records that a border divides. Returns -EIO
 * (already logged) or an error of lod_error_is_temporary.
 */
LOD_MUST_CHECK int lod_shard_layout(struct lod_shard_cache *cache, const struct lod_shard *shard,
                                    struct lod_blob **ret_layout);

/* Returns the intervals in the order of the framed file, and their number. */
const struct lod_shard_interval *lod_shard_layout_intervals(const struct lod_blob *layout,
                                                            size_t *ret_count);

#endif
