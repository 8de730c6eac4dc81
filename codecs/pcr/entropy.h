/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coefficients to the entropy-coded bytes of one scan, sequential or progressive, with the tables
 * given: what stands between a SOS segment and the next marker. ITU-T T.81, annexes F and G.
 */
#ifndef LOD_ENTROPY_H
#define LOD_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "pcr/entropy_tokens.h"
#include "pcr/jpeg_planes.h"
#include "pcr/huffman.h"

/* Blocks that end in zeros may share one code, up to so many. */
#define LOD_ENTROPY_RUN_MAX 0x7fffu

struct lod_entropy_scan {
    uint8_t count; /* components, 1 .. 4 */
    struct {
        uint8_t component; /* of the frame, 0 .. 3 */
        uint8_t dc, ac;    /* tables, 0 .. 3 */
    } part[LOD_SCRIPT_COMPONENTS];
    bool progressive;    /* else the whole block, and first .. low say nothing */
    uint8_t first, last; /* 0, 0 or 1 <= first <= last <= 63, of one component */
    uint8_t high, low;   /* high is 0 or low + 1; low <= 13 */
    bool pad_zeros;      /* the last byte is filled up with zeros, not ones */
    bool
        plain_padding; /* padding blocks: the DC of the block before and no AC, whatever is there */
    uint16_t run_max;  /* 1 .. LOD_ENTROPY_RUN_MAX */
    uint32_t restart_mcus; /* 0: no restart markers */
};

struct lod_entropy_tables {
    struct lod_huffman_codes codes[2][LOD_HUFFMAN_TABLES]; /* by class, number */
};

struct lod_entropy_counts {
    uint32_t of[2][LOD_HUFFMAN_TABLES][256]; /* by class, number, symbol */
};

/*
 * Writes one scan of `jpeg` at `out`, never past `room` bytes. -ENOSPC: it needs more; -EILSEQ: a
 * symbol without a code.
 */
LOD_MUST_CHECK int lod_entropy_write(const struct lod_jpeg *jpeg,
                                     const struct lod_entropy_scan *scan,
                                     const struct lod_entropy_tables *tables, uint8_t *out,
                                     size_t room, size_t *ret_bytes);

/*
 * Counts the symbols that the scan is written with, and notes them in `tokens`, which may be NULL.
 * -EILSEQ: a value of more bits than any table has symbols for.
 */
LOD_MUST_CHECK int lod_entropy_count(const struct lod_jpeg *jpeg,
                                     const struct lod_entropy_scan *scan,
                                     struct lod_entropy_tokens *tokens,
                                     struct lod_entropy_counts *ret_counts);

#endif
