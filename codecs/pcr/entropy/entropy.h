/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codes coefficients as the entropy-coded bytes of one scan, sequential or progressive, with given
 * tables: the bytes between a SOS segment and the next marker. ITU-T T.81, annexes F and G.
 */
#ifndef LOD_ENTROPY_H
#define LOD_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "pcr/entropy/entropy_tokens.h"
#include "pcr/jpeg/jpeg_planes.h"
#include "pcr/entropy/huffman.h"

/* The maximum number of ended blocks that share one code. */
#define LOD_ENTROPY_RUN_MAX 0x7fffu

/*
 * Correction bits are held until the code of their run is written. The IJG encoder has room for
 * 1,000, and ends a run when those of another block, at most 63, might not fit.
 */
#define LOD_ENTROPY_CORRECTIONS_MAX (1000 - LOD_JPEG_BLOCK + 1)

struct lod_entropy_scan {
    uint8_t count; /* components, 1 .. 4 */
    struct {
        uint8_t component; /* of the frame, 0 .. 3 */
        uint8_t dc, ac;    /* tables, 0 .. 3 */
    } part[LOD_SCRIPT_COMPONENTS];
    bool progressive;    /* else the scan has whole blocks, and first .. low are not used */
    uint8_t first, last; /* the band: both 0, or with one component 1 <= first <= last <= 63 */
    uint8_t high, low;   /* high is 0 or low + 1; low <= 13 */
    bool pad_zeros;      /* the last byte is padded with zeros, not ones */
    /* Code padding blocks with the DC of the block before and no AC, whatever they contain. */
    bool plain_padding;
    uint16_t run_max;      /* 1 .. LOD_ENTROPY_RUN_MAX */
    uint32_t restart_mcus; /* 0: no restart markers */
};

struct lod_entropy_tables {
    struct lod_huffman_codes codes[2][LOD_HUFFMAN_TABLES]; /* by class, number */
};

struct lod_entropy_counts {
    uint32_t of[2][LOD_HUFFMAN_TABLES][256]; /* by class, number, symbol */
};

/*
 * Writes one scan of `jpeg` at `out`, at most `room` bytes. Returns -ENOSPC if it needs more,
 * -EILSEQ if a symbol has no code.
 */
LOD_MUST_CHECK int lod_entropy_write(const struct lod_jpeg *jpeg,
                                     const struct lod_entropy_scan *scan,
                                     const struct lod_entropy_tables *tables, uint8_t *out,
                                     size_t room, size_t *ret_bytes);

/*
 * Counts the symbols of the scan, and notes them in `tokens`, which may be NULL. Returns -EILSEQ if
 * a value has more bits than any table has symbols for.
 */
LOD_MUST_CHECK int lod_entropy_count(const struct lod_jpeg *jpeg,
                                     const struct lod_entropy_scan *scan,
                                     struct lod_entropy_tokens *tokens,
                                     struct lod_entropy_counts *ret_counts);

#endif
