/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writing side of raster_file.h: splits a file into rows and the bytes around them, and proves
 * the result.
 */
#ifndef LOD_RASTER_FILE_WRITE_H
#define LOD_RASTER_FILE_WRITE_H

#include "l3/container/container_write.h"

/*
 * Splits the file: rows of `row_bytes` bytes begin at `front`, and all other bytes are group 9. The
 * header in *taken must be set, with valid sides. Returns -ENOTSUP if the file ends too early.
 */
LOD_MUST_CHECK int lod_raster_split(struct lod_span file, uint64_t front, uint64_t row_bytes,
                                    struct lod_l3_taken *taken, const char **ret_why);

/* Returns row `y` of the image, counted from the top, of a file that was split. */
const uint8_t *lod_raster_row(struct lod_span file, const struct lod_l3_taken *taken,
                              uint64_t row_bytes, uint32_t y);

/* As `cost` and `prove` of lod_l3_container_write. */
uint64_t lod_raster_cost(const struct lod_png_header *header);
bool lod_raster_prove(struct lod_span file, struct lod_l3_row *r, uint32_t band,
                      struct lod_span made);

#endif
