/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The superblock of the index: totals, and where the sections are (FORMAT.md, Superblock). Its
 * bytes have been checked against their hashes before they come here.
 */
#ifndef LOD_SUPERBLOCK_H
#define LOD_SUPERBLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "store/format.h"
#include "store/index.h"
#include "store/manifest.h"
#include "store/rows.h"

struct lod_superblock {
    struct lod_totals totals;
    uint64_t source_bytes;
    struct lod_section section[LOD_SECTION_NAME + 1]; /* by id */
};

/*
 * Every field against its legal range and the manifest. -EILSEQ, or -ENOTSUP: another version, or
 * a feature this build does not have; `why` gets a sentence for the user.
 */
LOD_MUST_CHECK int lod_superblock_take(const uint8_t block[LOD_BLOCK_BYTES],
                                       const struct lod_manifest *manifest,
                                       struct lod_superblock *ret_super, char *why,
                                       size_t why_room);

#endif
