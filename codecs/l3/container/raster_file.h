/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of pnm and bmp. A file is a header, then rows of pixels of equal size from the
 * top or the bottom, then trailing bytes. Header and trailing bytes are group 9, so the file equals
 * the source byte for byte. FORMAT.md, l3.
 */
#ifndef LOD_RASTER_FILE_H
#define LOD_RASTER_FILE_H

#include "l3/container/container.h"

/* Offset of the second u32 of a container's own fields, which these functions do not touch. */
#define LOD_RASTER_AT_OWN 32u

/*
 * Computes the layout for rows of `row_bytes` bytes, as lod_l3_container.take. Set `upward` before.
 */
bool lod_raster_take(const uint8_t row[LOD_ROW_BYTES], const struct lod_png_header *header,
                     uint8_t side_log2, uint64_t row_bytes, struct lod_l3_row *r);

/* Writes the fields as lod_l3_container.put, except the second u32. */
void lod_raster_put(const struct lod_l3_row *r, uint8_t row[LOD_ROW_BYTES]);

LOD_MUST_CHECK int lod_raster_plan(const struct lod_l3_row *r, unsigned form,
                                   struct lod_plan *plan);

/* Returns the offset of a band within the rows of the file. */
uint64_t lod_raster_band_at(const struct lod_l3_row *r, uint32_t band);

#endif
