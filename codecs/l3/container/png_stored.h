/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PNG whose size is known before its pixels: image data in stored deflate blocks, not interlaced,
 * filter 0. Each band of 2^side_log2 rows begins a new block, so a band can be made without the
 * others. FORMAT.md, l3. Pure; does not use libpng.
 */
#ifndef LOD_PNG_STORED_H
#define LOD_PNG_STORED_H

#include "bytes.h"
#include "compiler.h"
#include "l3/container/l3_output.h"

/*
 * The bytes around the kept chunks and the blocks: signature and IHDR; the start of IDAT; its end
 * and IEND.
 */
#define LOD_PNG_HEAD_BYTES 33u
#define LOD_PNG_OPEN_BYTES 10u
#define LOD_PNG_TAIL_BYTES 20u
#define LOD_PNG_SUMS_BYTES 8u /* the checksums that the tail begins with */

/*
 * Computes the layout. The header must be valid and side_log2 below 16. Returns -E2BIG if the data
 * does not fit one IDAT.
 */
LOD_MUST_CHECK int lod_png_stored_init(const struct lod_png_header *header, uint8_t side_log2,
                                       struct lod_l3_output *ret_stored);

/*
 * Writes the blocks of a band. `samples` are as in l3_image.h, rows `stride` bytes apart. Samples
 * below 8 bits are overwritten: they are packed in place.
 */
void lod_png_stored_band(const struct lod_l3_output *stored, uint32_t band, uint8_t *samples,
                         size_t stride, uint8_t *into);

/* Running checksums: begin, then add each band in order, then end. */
struct lod_png_sums {
    uint32_t crc, adler;
};
struct lod_png_sums lod_png_stored_sums_begin(void);
void lod_png_stored_sums_add(struct lod_png_sums *sums, struct lod_span blocks);
/* Returns the CRC over the type and contents of IDAT, and the Adler-32 of all rows. */
struct lod_png_sums lod_png_stored_sums_end(struct lod_png_sums sums);

/*
 * Writes the two checksums behind all bands, which are in `into`. That is at `offset` of the file.
 * Changes the last sample while the sums hold the word of word_free.h.
 */
void lod_png_stored_sum(const struct lod_l3_output *stored, uint64_t offset, uint8_t *into);

void lod_png_stored_head(const struct lod_l3_output *stored, uint8_t head[LOD_PNG_HEAD_BYTES]);
void lod_png_stored_open(const struct lod_l3_output *stored, uint8_t open[LOD_PNG_OPEN_BYTES]);
void lod_png_stored_tail(struct lod_png_sums sums, uint8_t tail[LOD_PNG_TAIL_BYTES]);

#endif
