/* SPDX-License-Identifier: Apache-2.0 */
/* See shard_cache.h. */
#include "shard/shard_cache.h"

#include "shard/shard_directory.h"

#define LAYOUT (1ull << 16) /* in the key of a layout; that of a directory lacks it */

static uint64_t form_of(const struct lod_shard *shard)
{
    return (uint64_t)shard->framing->format << 8 | (uint64_t)shard->fidelity;
}

struct wanted {
    struct lod_dataset *dataset;
    const struct lod_shard_part *part;
};

static int fill_directory(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    const struct wanted *wanted = ctx;

    (void)key;
    return lod_shard_directory_make(wanted->dataset, wanted->part, ret_blob);
}

int lod_shard_cache_part(struct lod_shard_cache *cache, const struct lod_shard *shard,
                         enum lod_shard_by by, uint64_t at, struct lod_shard_part *ret_part,
                         struct lod_blob **ret_directory)
{
    struct wanted wanted = {.dataset = cache->dataset, .part = ret_part};
    int error = lod_shard_part_at(cache->dataset, shard, by, at, ret_part);
    const struct lod_key key = {.high = error ? 0 : ret_part->row, .low = form_of(shard)};

    return error ? error : lod_cache_get(cache->blobs, key, fill_directory, &wanted, ret_directory);
}

int lod_shard_cache_layout(struct lod_shard_cache *cache, const struct lod_shard *shard,
                           lod_cache_fill fill, void *ctx, struct lod_blob **ret_layout)
{
    const uint64_t part = (uint64_t)shard->part.count << 16 | shard->part.number;
    const struct lod_key key = {.high = part << 32 | shard->end_row,
                                .low = LAYOUT | form_of(shard)};

    return lod_cache_get(cache->blobs, key, fill, ctx, ret_layout);
}
