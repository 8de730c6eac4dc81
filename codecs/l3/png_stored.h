/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PNG whose size is known before its pixels are: image data in stored deflate blocks, not
 * interlaced, filter 0. Each band of 2^side_log2 rows begins a block of its own, so that a band's
 * bytes need no other band. FORMAT.md, l3. Pure; no libpng.
 */
#ifndef LOD_PNG_STORED_H
#define LOD_PNG_STORED_H

#include "bytes.h"
#include "compiler.h"
#include "l3/l3_output.h"

/* Around the kept chunks and the blocks: signature and IHDR, IDAT's start, its end and IEND. */
#define LOD_PNG_HEAD_BYTES 33u
#define LOD_PNG_OPEN_BYTES 10u
#define LOD_PNG_TAIL_BYTES 20u

/* -E2BIG: one IDAT does not hold it. The header is valid, side_log2 below 16. */
LOD_MUST_CHECK int lod_png_stored_init(const struct lod_png_header *header, uint8_t side_log2,
                                       struct lod_l3_output *ret_stored);

/*
 * Writes the blocks of a band. `samples` as in l3_image.h, rows `stride` bytes apart; they are
 * changed where packing works in place.
 */
void lod_png_stored_band(const struct lod_l3_output *stored, uint32_t band, uint8_t *samples,
                         size_t stride, uint8_t *into);

/* Checksums so far; begin with those of lod_png_stored_sums_begin, then band by band in order. */
struct lod_png_sums {
    uint32_t crc, adler;
};
struct lod_png_sums lod_png_stored_sums_begin(void);
void lod_png_stored_sums_add(struct lod_png_sums *sums, struct lod_span blocks);
/* The CRC over type and contents of IDAT, and the Adler-32 of all rows. */
struct lod_png_sums lod_png_stored_sums_end(struct lod_png_sums sums);

void lod_png_stored_head(const struct lod_l3_output *stored, uint8_t head[LOD_PNG_HEAD_BYTES]);
void lod_png_stored_open(const struct lod_l3_output *stored, uint8_t open[LOD_PNG_OPEN_BYTES]);
void lod_png_stored_tail(struct lod_png_sums sums, uint8_t tail[LOD_PNG_TAIL_BYTES]);

#endif
