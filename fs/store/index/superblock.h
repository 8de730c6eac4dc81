/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The superblock of the index: totals, and the places of the sections (FORMAT.md, Superblock).
 */
#ifndef LOD_SUPERBLOCK_H
#define LOD_SUPERBLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "backend/why.h"
#include "compiler.h"
#include "backend/format.h"
#include "backend/store.h"
#include "index/index.h"
#include "index/manifest.h"
#include "index/rows.h"

struct lod_superblock {
    struct lod_totals totals;
    uint64_t source_bytes;
    struct lod_index_keys keys;
    struct lod_section section[LOD_SECTION_LAST + 1]; /* by id */
};

/*
 * Reads the block and checks its hashes. If a hash is wrong and the store has a copy, reads the
 * block once more. -EBADMSG: it is damaged.
 */
LOD_MUST_CHECK int lod_superblock_read(struct lod_object *index,
                                       const struct lod_manifest *manifest,
                                       uint8_t block[LOD_BLOCK_BYTES]);

/*
 * Checks every field of a block with right hashes against its legal range and the manifest. Returns
 * -EILSEQ, or -ENOTSUP for another version or a feature that this build does not have; `why` gets a
 * sentence for the user.
 */
LOD_MUST_CHECK int lod_superblock_take(const uint8_t block[LOD_BLOCK_BYTES],
                                       const struct lod_manifest *manifest,
                                       struct lod_superblock *ret_super, struct lod_why *why);

/* Writes the block of an index that has `index_bytes` bytes, and seals it. */
void lod_superblock_put(const struct lod_superblock *super, struct lod_id store_id,
                        uint64_t index_bytes, uint8_t block[LOD_BLOCK_BYTES]);

/* Returns the bytes of a row of a section, one of NODE .. LAST; 0 for NAME, which has no rows. */
uint32_t lod_section_row_bytes(uint32_t section);

#endif
