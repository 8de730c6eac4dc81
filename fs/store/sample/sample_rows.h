/* SPDX-License-Identifier: Apache-2.0 */
/* Converts SAMP and SUMS rows of the index to structs and back (FORMAT.md, SAMP and SUMS). */
#ifndef LOD_SAMPLE_ROWS_H
#define LOD_SAMPLE_ROWS_H

#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "framing/framing.h"
#include "sample/sample_name.h"

#define LOD_SAMPLE_ROW_BYTES 8u
#define LOD_SUMS_ROW_BYTES   (24u + 4u * LOD_FRAMINGS + 8u * LOD_FRAMINGS * LOD_FULL)
#define LOD_SUMS_CLOSING     UINT32_MAX /* the record of a split's last row */

/* The row of an item. */
struct lod_sample_row {
    int32_t label;
    enum lod_sample_form form;
    uint8_t before, after; /* how many nodes before and after the lead's can be members */
};

/*
 * The row of a record and a split, in order of splits, then of records: the sums over all rows of
 * the split before it. The closing row of a split has the totals.
 */
struct lod_sums_row {
    uint32_t record;
    uint32_t split;                         /* node of the split's folder */
    uint32_t longest_path;                  /* of all leads of the split, in bytes */
    uint64_t key;                           /* of the first lead's name; closing row: 0 */
    uint32_t class_bytes;                   /* of the list of its classes; 0: there is none */
    uint32_t leads[LOD_FRAMINGS];           /* samples before, that the framing takes */
    uint64_t bytes[LOD_FRAMINGS][LOD_FULL]; /* by fidelity - 1; without trailers */
};

void lod_sample_row_put(const struct lod_sample_row *row, uint8_t into[LOD_SAMPLE_ROW_BYTES]);
void lod_sums_row_put(const struct lod_sums_row *row, uint8_t into[LOD_SUMS_ROW_BYTES]);

/* Returns -EILSEQ for a malformed row. */
LOD_MUST_CHECK int lod_sample_row_take(const uint8_t bytes[LOD_SAMPLE_ROW_BYTES],
                                       struct lod_sample_row *ret_row);
void lod_sums_row_take(const uint8_t bytes[LOD_SUMS_ROW_BYTES], struct lod_sums_row *ret_row);

#endif
