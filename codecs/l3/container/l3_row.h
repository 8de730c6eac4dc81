/* SPDX-License-Identifier: Apache-2.0 */
/* A valid l3 ITEM row, parsed: FORMAT.md, ITEM, column l3. */
#ifndef LOD_L3_ROW_H
#define LOD_L3_ROW_H

#include "codec.h"
#include "compiler.h"
#include "l3/container/l3_output.h"
#include "l3/container/png_stored.h"

/* Groups 1 .. 7 hold levels: level_rules.h. */
#define LOD_L3_LEVELS       7u
#define LOD_L3_GROUP_STREAM 8u
#define LOD_L3_GROUP_CHUNKS 9u
#define LOD_L3_GROUP_FILE   12u

/*
 * Colour types are those of PNG. This additional one is a palette with tRNS, which decodes to
 * alpha.
 */
#define LOD_L3_PALETTE_ALPHA 7u

/*
 * The most that inputs, working memory and result of one band may take. A mount's working memory is
 * twice that.
 */
#define LOD_L3_BAND_COST_MAX (128ull << 20)

struct lod_l3_container;

/* In a WHOLE item all fields but flags and source are zero. */
struct lod_l3_row {
    uint8_t flags;
    const struct lod_l3_container *container; /* the kind of file */
    bool transparent;                         /* palette with tRNS */
    uint8_t mode;                             /* enum lod_l3_mode: the mode that the writer used */
    uint64_t source;                          /* bytes of the source file */
    uint32_t chunks;                          /* bytes of group 9 */
    uint32_t stream;                          /* bytes of group 8 */
    uint32_t level[LOD_L3_LEVELS];            /* bytes of levels; all 0: there are none */
    struct lod_png_sums sums;                 /* png */
    uint32_t front;  /* pnm, bmp: bytes of group 9 that precede the pixels */
    uint32_t maxval; /* pnm: the sample value of white */
    bool upward;     /* bmp: the last row comes first in the file */
    bool alpha;      /* bmp: the fourth byte of a pixel is alpha; else it has no meaning */
    struct lod_l3_output out;
};

/* Parses and checks a row. Returns -EILSEQ if it is malformed. */
LOD_MUST_CHECK int lod_l3_row_read(const uint8_t row[LOD_ROW_BYTES], struct lod_l3_row *ret_row);

/* Writes a valid row; its node is 0. */
void lod_l3_row_write(const struct lod_l3_row *from, uint8_t ret_row[LOD_ROW_BYTES]);

/*
 * Returns the most memory that making a band takes. Above LOD_L3_BAND_COST_MAX a row is malformed.
 */
uint64_t lod_l3_row_cost(const struct lod_l3_row *row);

/* Return the largest head and the largest band that a stream of this image may have. */
uint64_t lod_l3_row_head_max(const struct lod_l3_row *row);
uint64_t lod_l3_row_band_max(const struct lod_l3_row *row);

#endif
