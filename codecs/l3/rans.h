/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entropy coding of mode small: up to eight classes of residuals, each with its frequencies of
 * symbols, and for each plane the class that an activity falls in (FORMAT.md, L3 stream, Tables).
 *
 * rANS with 32-bit states of at least 2^16, refilled by 16-bit words; frequencies add up to 2^10,
 * so that eight tables of slots fit in a first-level cache.
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
#define LOD_RANS_ESCAPE     256u /* the symbol that says: what follows is not in this table */
#define LOD_RANS_ACTIVITIES 128u

/* A slot: symbol in bits 0 .. 7, offset in its symbol 8 .. 17, is it an escape 18, frequency 21 ..
 */
#define LOD_RANS_OFFSET_SHIFT 8
#define LOD_RANS_ESCAPE_BIT   (1u << 18)
#define LOD_RANS_COUNT_SHIFT  21

struct lod_rans_tables {
    uint32_t slot[LOD_RANS_CLASSES][LOD_RANS_TOTAL];
    uint8_t class_of[4][LOD_RANS_ACTIVITIES]; /* [plane][activity] */
    uint8_t classes;                          /* 0: there are none */
};

/* One symbol's frequencies in each class, as they are stored; they add up to LOD_RANS_TOTAL. */
typedef uint16_t lod_rans_counts[LOD_RANS_SYMBOLS];

/* In the stored list symbols come in this order: escape, 0, 1, 255, 2, 254, 3 ... */
static inline unsigned lod_rans_symbol_at(unsigned place)
{
    unsigned half = place / 2;

    return place == 0 ? LOD_RANS_ESCAPE : place % 2 ? (256 - half) % 256 : half;
}

/*
 * Reads the tables of a stream whose pixels have `planes` samples. No bytes: no classes. -EILSEQ;
 * `*ret_tables` is then undefined.
 */
LOD_MUST_CHECK int lod_rans_tables_take(struct lod_span bytes, unsigned planes,
                                        struct lod_rans_tables *ret_tables);

#endif
