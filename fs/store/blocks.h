/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index file as checked 4 KiB blocks (FORMAT.md, Block): read by pread, hash and place checked,
 * kept in a small cache, never mapped. Knows no rows.
 */
#ifndef LOD_BLOCKS_H
#define LOD_BLOCKS_H

#include <stdint.h>

#include "cache.h"
#include "compiler.h"
#include "pace.h"
#include "store/format.h"
#include "store/store.h"

struct lod_blocks;

/* Borrows `index` until destroy. `cache_bytes`: the budget of kept blocks. */
LOD_MUST_CHECK int lod_blocks_create(struct lod_object *index, uint64_t seed, size_t cache_bytes,
                                     struct lod_blocks **ret_blocks);
struct lod_blocks *lod_blocks_destroy(struct lod_blocks *blocks);

/*
 * Copies [offset, offset + bytes) of the payload of block `number` of a section that starts at
 * block `first` of the file. -EBADMSG: hash or place differ. Any thread.
 */
LOD_MUST_CHECK int lod_blocks_copy(struct lod_blocks *blocks, uint32_t section, uint64_t first,
                                   uint64_t number, uint32_t offset, void *into, uint32_t bytes);

/* A block kept while rows of it are looked at; all zero: none. */
struct lod_held {
    struct lod_blob *blob;
    uint64_t at; /* its number in the file */
};

/*
 * The payload of that block in *ret_payload, until `held` holds another one or is dropped: asking
 * again for the one it holds costs nothing. One thread. -EBADMSG as above.
 */
LOD_MUST_CHECK int lod_blocks_hold(struct lod_blocks *blocks, uint32_t section, uint64_t first,
                                   uint64_t number, struct lod_held *held,
                                   const uint8_t **ret_payload);
void lod_held_drop(struct lod_held *held);

/* How fast the index has been read. */
const struct lod_pace *lod_blocks_pace(const struct lod_blocks *blocks);

/* Checks one raw block; shared with the superblock's reader. -EBADMSG. */
LOD_MUST_CHECK int lod_block_check(const uint8_t block[LOD_BLOCK_BYTES], uint64_t seed,
                                   uint32_t section, uint32_t number);

/* Fills bytes 4080 .. 4095 of a block whose payload is complete. */
void lod_block_seal(uint8_t block[LOD_BLOCK_BYTES], uint64_t seed, uint32_t section,
                    uint32_t number);

#endif
