/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps made units that are too large for the cache while they are read, in working memory that
 * makers do not need. It sees only the sequence of reads, no open files and no time.
 *
 * - A unit whose end was read, or that none of the last LOD_LARGE_RECENT reads asked for, is idle:
 *   it is evicted when others need memory.
 * - The other units share the memory. A unit that has more than its share keeps the bytes that lie
 *   ahead of its reader, and gives the pages of the rest back. So readers of more units than there
 *   is room for have each unit made a few times, not for each read.
 */
#ifndef LOD_LARGE_UNITS_H
#define LOD_LARGE_UNITS_H

#include <stdint.h>

#include "compiler.h"
#include "memory/byte_limit.h"
#include "memory/cache.h"

/*
 * Larger than the number of files that are read at the same time. Smaller than the number of READs
 * that read a tenth of this memory.
 */
#define LOD_LARGE_RECENT 128u

struct lod_large_units;

/* Borrows `limit`, which outlives it. */
LOD_MUST_CHECK int lod_large_units_create(struct lod_byte_limit *limit,
                                          struct lod_large_units **ret_units);
/* Call it when all blobs have been released. Accepts NULL, returns NULL. */
struct lod_large_units *lod_large_units_destroy(struct lod_large_units *units);

/*
 * Returns the unit of `key` for a read of bytes [at, at + bytes) of it. If it is absent, or kept
 * without them, fill(ctx, key) makes all of it, of private memory. Only the bytes of the read are
 * sure to be there. `bytes` may be 0, for a unit that will be read from `at` on. Otherwise as
 * lod_cache_get. Any thread.
 */
LOD_MUST_CHECK int lod_large_units_get(struct lod_large_units *units, struct lod_key key,
                                       uint64_t at, uint64_t bytes, lod_cache_fill fill, void *ctx,
                                       struct lod_blob **ret_blob);

/* Returns whether some of the unit is kept, or it is being made. Any thread. */
bool lod_large_units_has(struct lod_large_units *units, struct lod_key key);

/* Frees `bytes` of the limit, except for units that reads in progress hold. Any thread. */
void lod_large_units_shrink(struct lod_large_units *units, uint64_t bytes);

struct lod_cache_stats lod_large_units_stats(struct lod_large_units *units);

#endif
