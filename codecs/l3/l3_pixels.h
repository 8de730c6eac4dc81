/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pixels of an l3 item under decoded/. Samples below 16 bits are scaled to 8 bits. Palette
 * indices become colours, with alpha if there is a tRNS. FORMAT.md, Decoded forms.
 */
#ifndef LOD_L3_PIXELS_H
#define LOD_L3_PIXELS_H

#include "bytes.h"
#include "compiler.h"
#include "l3/container/l3_row.h"
#include "pixels.h"

struct lod_pixels lod_l3_pixels(const struct lod_l3_row *row);

/* Returns the bytes of a full band's pixels. */
uint64_t lod_l3_pixels_band_bytes(const struct lod_l3_row *row);

/* Returns the most memory that making a band of pixels takes. */
uint64_t lod_l3_pixels_cost(const struct lod_l3_row *row);

/* Returns how many bytes of group 9 contain the palette; 0 without a palette. */
uint64_t lod_l3_pixels_chunks(const struct lod_l3_row *row);

/*
 * Converts `rows` rows of samples, `stride` bytes apart, to pixels. `chunks` is the start of group
 * 9 up to the palette's end. An index past the palette becomes black. Returns -EILSEQ if there is
 * no palette.
 */
LOD_MUST_CHECK int lod_l3_pixels_band(const struct lod_l3_row *row, struct lod_span chunks,
                                      const uint8_t *samples, size_t stride, uint32_t rows,
                                      uint8_t *into);

#endif
