/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads ranges of framed files: from checked bytes of their items, and from the headers that the
 * framing adds. Framed files are not stored, and only the requested bytes are made.
 */
#ifndef LOD_SHARD_READ_H
#define LOD_SHARD_READ_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "read/reader.h"
#include "views/shards.h"

#define LOD_SHARD_CACHE_BYTES (16u << 20) /* limit of cached directories */

struct lod_shard_reader;

/* Borrows both. With `reader` NULL only sizes are available. */
LOD_MUST_CHECK int lod_shard_reader_create(struct lod_dataset *dataset, struct lod_reader *reader,
                                           struct lod_shard_reader **ret_reader);
struct lod_shard_reader *lod_shard_reader_destroy(struct lod_shard_reader *reader);

/* Returns the bytes of the file, for stat(2). For a part of the store it reads the directories of
 * the records at the borders, which stay in the cache. Errors are those of lod_shard_read. */
LOD_MUST_CHECK int lod_shard_bytes(struct lod_shard_reader *reader, const struct lod_shard *shard,
                                   uint64_t *ret_bytes);

/*
 * Writes bytes [offset, offset + bytes) of the file into `into`, clipped to its end; `bytes` <=
 * LOD_READ_BYTES_MAX. Returns -EIO (already logged) or an error of lod_error_is_temporary. Any
 * thread.
 */
LOD_MUST_CHECK int lod_shard_read(struct lod_shard_reader *reader, const struct lod_shard *shard,
                                  uint64_t offset, size_t bytes, uint8_t *into, size_t *ret_bytes);

/* The same for a file whose samples are one stretch of their split, as all are outside of parts. */
LOD_MUST_CHECK int lod_shard_read_stretch(struct lod_shard_reader *reader,
                                          const struct lod_shard *shard, uint64_t offset,
                                          size_t bytes, uint8_t *into, size_t *ret_bytes);

struct lod_shard_cache;
struct lod_shard_cache *lod_shard_reader_cache(struct lod_shard_reader *reader);

#endif
