/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills one section of an index file with rows or strings, block by block (FORMAT.md, Block). It
 * does not know the meaning of rows.
 */
#ifndef LOD_SECTION_WRITE_H
#define LOD_SECTION_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "backend/format.h"

#define LOD_SECTION_BATCH 16u /* blocks written with one call */

/* The caller sets fd, compare, seed, section and first; the rest begins as 0. */
struct lod_section_writer {
    int fd;
    bool compare; /* compare instead of writing; -ESTALE if the file has other bytes */
    uint64_t seed;
    uint32_t section;
    uint64_t first;  /* number of the section's first block in the file */
    uint64_t blocks; /* complete blocks so far */
    uint32_t used;   /* payload bytes of the block in progress */
    uint8_t batch[LOD_SECTION_BATCH][LOD_BLOCK_BYTES];
};

/*
 * Appends `bytes` bytes (1 .. LOD_BLOCK_PAYLOAD), which stay in one block. *ret_at, unless NULL,
 * gets their heap position, block * 4096 + offset. Returns -E2BIG past 2^32 blocks.
 */
LOD_MUST_CHECK int lod_section_append(struct lod_section_writer *writer, const void *data,
                                      uint32_t bytes, uint64_t *ret_at);

/* Completes the last block; `blocks` is then the section's length. */
LOD_MUST_CHECK int lod_section_finish(struct lod_section_writer *writer);

/*
 * Compares the rest of the file after all sections were compared, in the order of the file: block
 * 0, zeros between sections, nothing after the last. Returns 0 or -ESTALE.
 */
LOD_MUST_CHECK int lod_section_compare_rest(const struct lod_section_writer *sections,
                                            unsigned count,
                                            const uint8_t first_block[LOD_BLOCK_BYTES]);

#endif
