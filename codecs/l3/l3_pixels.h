/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an l3 item shows under decoded/: its samples scaled to 8 bits, or as they are with 16;
 * colours in place of palette indices, with alpha where there is a tRNS. FORMAT.md, Decoded forms.
 */
#ifndef LOD_L3_PIXELS_H
#define LOD_L3_PIXELS_H

#include "bytes.h"
#include "compiler.h"
#include "l3/l3_row.h"
#include "pixels.h"

struct lod_pixels lod_l3_pixels(const struct lod_l3_row *row);

/* Bytes of a band's pixels; the last band may have fewer. */
uint64_t lod_l3_pixels_band_bytes(const struct lod_l3_row *row);

/* What making a band of pixels takes, at most. */
uint64_t lod_l3_pixels_cost(const struct lod_l3_row *row);

/* Bytes of group 8 that are needed to find the palette; 0: there is none. */
uint64_t lod_l3_pixels_chunks(const struct lod_l3_row *row);

/*
 * The pixels of `rows` rows of samples, `stride` bytes apart, as decoded; `chunks`: group 8, as
 * much of it as the palette takes. An index past the palette is black. -EILSEQ: there is no
 * palette.
 */
LOD_MUST_CHECK int lod_l3_pixels_band(const struct lod_l3_row *row, struct lod_span chunks,
                                      const uint8_t *samples, size_t stride, uint32_t rows,
                                      uint8_t *into);

#endif
