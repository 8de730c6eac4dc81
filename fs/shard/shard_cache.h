/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of framed files: directories of records, and layouts of files in parts. */
#ifndef LOD_SHARD_CACHE_H
#define LOD_SHARD_CACHE_H

#include "compiler.h"
#include "memory/cache.h"
#include "views/shards.h"

struct lod_shard_cache {
    struct lod_dataset *dataset; /* borrowed */
    struct lod_cache *blobs;
};

/* Finds the record with byte `at`, or with lead number `at`, of the split. Returns its samples of
 * this split and their directory, on which the caller calls unref. Returns -EIO (already logged) or
 * an error of lod_error_is_temporary. */
LOD_MUST_CHECK int lod_shard_cache_part(struct lod_shard_cache *cache,
                                        const struct lod_shard *shard, enum lod_shard_by by,
                                        uint64_t at, struct lod_shard_part *ret_part,
                                        struct lod_blob **ret_directory);

/* Returns the layout of a file in a part, which `fill` makes if it is absent: see lod_cache_get. */
LOD_MUST_CHECK int lod_shard_cache_layout(struct lod_shard_cache *cache,
                                          const struct lod_shard *shard, lod_cache_fill fill,
                                          void *ctx, struct lod_blob **ret_layout);

#endif
