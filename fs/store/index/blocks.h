/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index file as checked blocks of 4 KiB (FORMAT.md, Block). They are read by pread, checked for
 * hash and place, and kept in a small cache. It knows no rows.
 */
#ifndef LOD_BLOCKS_H
#define LOD_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/cache.h"
#include "compiler.h"
#include "backend/io_estimate.h"
#include "backend/format.h"
#include "backend/store.h"

struct lod_blocks;

/* Borrows `index` until destroy. `cache_bytes`: limit of the kept blocks. */
LOD_MUST_CHECK int lod_blocks_create(struct lod_object *index, uint64_t seed, size_t cache_bytes,
                                     struct lod_blocks **ret_blocks);
/* Copies the index in the background, as far as that pays: see index_copy.h. Call it before any
 * other thread uses the blocks. */
void lod_blocks_copy_whole(struct lod_blocks *blocks, unsigned ranges, bool keep);
struct lod_blocks *lod_blocks_destroy(struct lod_blocks *blocks);

/*
 * Copies [offset, offset + bytes) of the payload of block `number` of a section that starts at
 * block `first` of the file. Returns -EBADMSG if hash or place differ. Any thread.
 */
LOD_MUST_CHECK int lod_blocks_copy(struct lod_blocks *blocks, uint32_t section, uint64_t first,
                                   uint64_t number, uint32_t offset, void *into, uint32_t bytes);

/* A reference to a block of the index; all zero: none. */
struct lod_block_ref {
    struct lod_blob *blob;
    uint64_t at; /* its number in the file */
};

/*
 * Returns the payload of that block in *ret_payload. It is valid until `ref` holds another block
 * or is dropped. Asking again for the same block costs nothing. One thread. Returns -EBADMSG as
 * above.
 */
LOD_MUST_CHECK int lod_blocks_ref(struct lod_blocks *blocks, uint32_t section, uint64_t first,
                                  uint64_t number, struct lod_block_ref *ref,
                                  const uint8_t **ret_payload);
void lod_block_ref_drop(struct lod_block_ref *ref);

/*
 * Returns the next unusable block that was not returned yet; false if there is none.
 * The caller logs it. At most 16 blocks are remembered, each once. Any thread.
 */
struct lod_block_failure {
    uint64_t block; /* its number in the file */
    int error;      /* -EBADMSG: hash or place differ; else the error of reading it */
};
bool lod_blocks_failure_take(struct lod_blocks *blocks, struct lod_block_failure *ret_failure);

/* Returns the measured speed of reading the index. */
const struct lod_io_estimate *lod_blocks_io_estimate(const struct lod_blocks *blocks);

/* Checks one raw block; also used for the superblock. Returns -EBADMSG. */
LOD_MUST_CHECK int lod_block_check(const uint8_t block[LOD_BLOCK_BYTES], uint64_t seed,
                                   uint32_t section, uint32_t number);

/* Fills bytes 4080 .. 4095 of a block whose payload is complete. */
void lod_block_seal(uint8_t block[LOD_BLOCK_BYTES], uint64_t seed, uint32_t section,
                    uint32_t number);

#endif
