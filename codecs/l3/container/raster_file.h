/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of pnm and bmp. A file is a header, then rows of pixels of equal size from the
 * top or the bottom, then trailing bytes. Header and trailing bytes are group 9, so the file equals
 * the source byte for byte. FORMAT.md, l3.
 */
#ifndef LOD_RASTER_FILE_H
#define LOD_RASTER_FILE_H

#include "l3/container/container.h"

/* Offset of the second u32 of the containers' own fields; each container has its own use of it. */
#define LOD_RASTER_AT_OWN 32u

/* Returns the bytes of a row in the file, padded to a multiple of `align`. */
uint64_t lod_raster_row_bytes(const struct lod_png_header *header, unsigned align);

/* Computes the layout for such rows, as lod_l3_container.take. Set `upward` before. */
bool lod_raster_take(const uint8_t row[LOD_ROW_BYTES], const struct lod_png_header *header,
                     uint8_t side_log2, unsigned align, struct lod_l3_row *r);

/* Writes the container's fields, for lod_l3_container.put. `own` is the value that the container
 * keeps in the second u32. */
void lod_raster_put(const struct lod_l3_row *r, uint32_t own, uint8_t row[LOD_ROW_BYTES]);

LOD_MUST_CHECK int lod_raster_plan(const struct lod_l3_row *r, unsigned form,
                                   struct lod_plan *plan);
void lod_raster_band(const struct lod_l3_row *r, uint32_t band, uint8_t *samples, size_t stride,
                     uint8_t *into);

/* Returns the offset of a band within the rows of the file. */
uint64_t lod_raster_band_at(const struct lod_l3_row *r, uint32_t band);

#endif
