/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source's own bytes back: rebuild data (group 12) and the item's full file give the JPEG file
 * that was packed, bit for bit. FORMAT.md, Rebuild data. exact_write.h makes the data.
 */
#ifndef LOD_EXACT_H
#define LOD_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

/* Full file, coefficients and rebuilt file together. What needs more is KEPT. */
#define LOD_EXACT_MEMORY_MAX (128ull << 20)
#define LOD_EXACT_HEADER_MAX 65535u

/*
 * Blocks gone through, counted and written, by all scans together: the largest image that fits has
 * a million, and 10 progressive scans go through each component's about 4 times.
 */
#define LOD_EXACT_BLOCKS_MAX (32ull << 20)

/* Rebuild data taken apart. Borrows. */
struct lod_exact {
    bool shared;            /* the header part is that of `slot`, which has its own */
    uint16_t slot;          /* of the same record, below the item's own */
    struct lod_span header; /* empty if shared */
    struct lod_span tail;
};

/* -EILSEQ: malformed. */
LOD_MUST_CHECK int lod_exact_split(struct lod_span data, struct lod_exact *ret_exact);

/*
 * Writes the source file, of exactly `bytes` bytes, to `out`; never past them. `full`: the item's
 * file at fidelity full. -EILSEQ: full, header and tail do not make a file of that size, or not
 * within LOD_EXACT_MEMORY_MAX; -E2BIG: full and `bytes` alone pass it, or scans go through more
 * than LOD_EXACT_BLOCKS_MAX; -ENOMEM. On failure `out` is undefined.
 */
LOD_MUST_CHECK int lod_exact_rebuild(struct lod_span full, struct lod_span header,
                                     struct lod_span tail, uint8_t *out, size_t bytes);

#endif
