/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rebuilds the source JPEG bit for bit from rebuild data (group 12) and the item's file at full.
 * FORMAT.md, Rebuild data. rebuild_write.h makes the data.
 */
#ifndef LOD_REBUILD_H
#define LOD_REBUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

/* Limit for full file, coefficients and rebuilt file together. An item that needs more is KEPT. */
#define LOD_REBUILD_MEMORY_MAX (128ull << 20)
#define LOD_REBUILD_HEADER_MAX 65535u

/*
 * Limit of the blocks that all scans together count and write. The largest image that fits has a
 * million blocks, and 10 progressive scans walk those of each component about 4 times.
 */
#define LOD_REBUILD_BLOCKS_MAX (32ull << 20)

/* Parsed rebuild data, which is borrowed. */
struct lod_rebuild {
    bool shared;            /* the header part is that of `slot` */
    uint16_t slot;          /* of the same record, below the item's own */
    struct lod_span header; /* empty if shared */
    struct lod_span tail;
};

/* Returns -EILSEQ if the data is malformed. */
LOD_MUST_CHECK int lod_rebuild_split(struct lod_span data, struct lod_rebuild *ret_exact);

/*
 * Writes the source file, of exactly `bytes` bytes, to `out`, and never past that. `full` is the
 * item's file at fidelity full. Returns
 *   -EILSEQ  if full, header and tail do not make a file of that size within
 *            LOD_REBUILD_MEMORY_MAX,
 *   -E2BIG   if full and `bytes` together exceed that limit, or scans have more blocks than
 *            LOD_REBUILD_BLOCKS_MAX,
 *   -ENOMEM.
 * On failure `out` is undefined.
 */
LOD_MUST_CHECK int lod_rebuild_file(struct lod_span full, struct lod_span header,
                                    struct lod_span tail, uint8_t *out, size_t bytes);

#endif
