/* SPDX-License-Identifier: Apache-2.0 */
/* A sound l3 ITEM row: FORMAT.md, ITEM, column l3. */
#ifndef LOD_L3_ROW_H
#define LOD_L3_ROW_H

#include "codec.h"
#include "compiler.h"
#include "l3/l3_output.h"
#include "l3/png_stored.h"

#define LOD_L3_GROUP_STREAM 1u
#define LOD_L3_GROUP_CHUNKS 8u
#define LOD_L3_GROUP_FILE   12u

/* Colour types are PNG's; this one is a palette with tRNS, which is alpha to those who decode. */
#define LOD_L3_PALETTE_ALPHA 7u

/* What inputs, work and result of one band may take: two of them fit into a mount's budget. */
#define LOD_L3_BAND_COST_MAX (128ull << 20)

struct lod_l3_container;

/* Of a WHOLE item all but flags and source are zero. */
struct lod_l3_row {
    uint8_t flags;
    const struct lod_l3_container *container; /* which file it becomes */
    bool transparent;                         /* a palette with tRNS */
    uint8_t mode;                             /* enum lod_l3_mode: what the writer was asked for */
    uint64_t source;                          /* bytes of the source file */
    uint32_t chunks;                          /* bytes of group 8 */
    uint32_t stream;                          /* bytes of group 1 */
    struct lod_png_sums sums;                 /* png */
    uint32_t front;  /* pnm, bmp: of group 8, bytes in front of the pixels */
    uint32_t maxval; /* pnm: the value that is white */
    bool upward;     /* bmp: the file begins with the last row */
    bool alpha;      /* bmp: the fourth byte of a pixel is its alpha, not nothing */
    struct lod_l3_output out;
};

/* -EILSEQ: malformed. */
LOD_MUST_CHECK int lod_l3_row_read(const uint8_t row[LOD_ROW_BYTES], struct lod_l3_row *ret_row);

/* The reverse, of a row that is sound; own node 0. */
void lod_l3_row_write(const struct lod_l3_row *from, uint8_t ret_row[LOD_ROW_BYTES]);

/* What making a band takes, at most; a row above LOD_L3_BAND_COST_MAX is malformed. */
uint64_t lod_l3_row_cost(const struct lod_l3_row *row);

/* The largest head, and the largest band, that a stream of this image may have. */
uint64_t lod_l3_row_head_max(const struct lod_l3_row *row);
uint64_t lod_l3_row_band_max(const struct lod_l3_row *row);

#endif
