/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writing side of raster_file.h: splits a file into rows and the bytes around them, and proves
 * the result.
 */
#ifndef LOD_RASTER_FILE_WRITE_H
#define LOD_RASTER_FILE_WRITE_H

#include "l3/container/container_write.h"

/*
 * Splits the file: rows padded to a multiple of `align` begin at `front`, and all other bytes are
 * group 9. The header in *parsed must be set, with valid sides. Returns -ENOTSUP if the file ends
 * too early.
 */
LOD_MUST_CHECK int lod_raster_split(struct lod_span file, uint64_t front, unsigned align,
                                    struct lod_l3_parsed *parsed, const char **ret_why);

/* These implement `samples`, `cost` and `prove` of lod_l3_container_write, for a file that
 * lod_raster_split has accepted. */
LOD_MUST_CHECK int lod_raster_samples(struct lod_span file, struct lod_l3_parsed *parsed,
                                      uint8_t *samples, const char **ret_why);
uint64_t lod_raster_cost(const struct lod_png_header *header);
bool lod_raster_prove(struct lod_span file, struct lod_l3_row *r, uint32_t band,
                      struct lod_span made);

#endif
