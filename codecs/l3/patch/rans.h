/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entropy coding of mode small (FORMAT.md, L3 stream, Tables). Residuals have up to eight
 * classes, each with symbol frequencies of its own. For each plane a table maps activities to
 * classes.
 *
 * The coder is rANS with 32-bit states of at least 2^16, refilled by 16-bit words. Frequencies add
 * up to 2^10, so that the slot tables of eight classes fit in a first-level cache.
 */
#ifndef LOD_RANS_H
#define LOD_RANS_H

#include "bytes.h"
#include "compiler.h"

#define LOD_RANS_LANES      32u
#define LOD_RANS_CLASSES    8u
#define LOD_RANS_BITS       10u
#define LOD_RANS_TOTAL      (1u << LOD_RANS_BITS)
#define LOD_RANS_FLOOR      (1u << 16)
#define LOD_RANS_SYMBOLS    257u
#define LOD_RANS_ESCAPE     256u /* the symbol for values that have none in this class */
#define LOD_RANS_ACTIVITIES 128u

/* A slot: bits 0 .. 7 symbol, 8 .. 17 offset within the symbol, 18 escape flag, 21 .. frequency. */
#define LOD_RANS_OFFSET_SHIFT 8
#define LOD_RANS_ESCAPE_BIT   (1u << 18)
#define LOD_RANS_COUNT_SHIFT  21

struct lod_rans_tables {
    uint32_t slot[LOD_RANS_CLASSES][LOD_RANS_TOTAL];
    uint8_t class_of[4][LOD_RANS_ACTIVITIES]; /* [plane][activity] */
    uint8_t classes;                          /* 0: the stream has no tables */
};

/* The frequency of each symbol in one class; they add up to LOD_RANS_TOTAL. */
typedef uint16_t lod_rans_counts[LOD_RANS_SYMBOLS];

/*
 * Returns the symbol at a place of the stored list, whose order is escape, 0, 1, 255, 2, 254, 3 ...
 */
static inline unsigned lod_rans_symbol_at(unsigned place)
{
    unsigned half = place / 2;

    return place == 0 ? LOD_RANS_ESCAPE : place % 2 ? (256 - half) % 256 : half;
}

/*
 * Reads the tables of a stream whose pixels have `planes` samples. No bytes mean no classes.
 * Returns -EILSEQ; `*ret_tables` is then undefined.
 */
LOD_MUST_CHECK int lod_rans_tables_take(struct lod_span bytes, unsigned planes,
                                        struct lod_rans_tables *ret_tables);

#endif
