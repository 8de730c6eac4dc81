/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory of the samples that a record has of a split: the end of each, and the names of its
 * files. It is made of the metadata of the record, which is read once. Only leads with members need
 * their neighbours in the index.
 */
#ifndef LOD_SHARD_DIRECTORY_H
#define LOD_SHARD_DIRECTORY_H

#include <stdint.h>

#include "compiler.h"
#include "memory/blob.h"
#include "views/shards.h"

/* Makes a directory as a blob for a cache. Returns -EIO (already logged) or an error of
 * lod_error_is_temporary. */
LOD_MUST_CHECK int lod_shard_directory_make(struct lod_dataset *dataset,
                                            const struct lod_shard_part *part,
                                            struct lod_blob **ret_blob);

/* Returns the bytes of all samples. */
uint64_t lod_shard_directory_bytes(const struct lod_blob *directory);

/* Return the number of samples, and the offset where sample `number` starts. For `number` equal to
 * the number of samples that is the end of the last one. */
uint64_t lod_shard_directory_count(const struct lod_blob *directory);
uint64_t lod_shard_directory_start(const struct lod_blob *directory, uint64_t number);

/* Returns the number of the sample that contains byte `offset`, which is below the bytes of all
 * samples. */
uint64_t lod_shard_directory_find(const struct lod_blob *directory, uint64_t offset);

/* Returns a sample. Its names point into the directory. */
void lod_shard_directory_sample(const struct lod_blob *directory, uint64_t number,
                                struct lod_framed_sample *ret_sample);

#endif
