/* SPDX-License-Identifier: Apache-2.0 */
/* The writers' share of plain_file.h: a file taken apart at the ends of its rows, and proven. */
#ifndef LOD_PLAIN_FILE_WRITE_H
#define LOD_PLAIN_FILE_WRITE_H

#include "l3/container_write.h"

/*
 * Rows of `row_bytes` bytes begin at `front` of the file: group 8 is all around them. The header is
 * taken, of a valid side. -ENOTSUP: the file ends inside them.
 */
LOD_MUST_CHECK int lod_plain_split(struct lod_span file, uint64_t front, uint64_t row_bytes,
                                   struct lod_l3_taken *taken, const char **ret_why);

/* Row `y` of the image, counted from its top, of a file that was split. */
const uint8_t *lod_plain_row(struct lod_span file, const struct lod_l3_taken *taken,
                             uint64_t row_bytes, uint32_t y);

/* As lod_l3_container_write's cost and prove. */
uint64_t lod_plain_cost(const struct lod_png_header *header);
bool lod_plain_prove(struct lod_span file, struct lod_l3_row *r, uint32_t band,
                     struct lod_span made);

#endif
