/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What containers of plain samples share: a file is some bytes, rows of pixels of one length, from
 * the top or from the bottom, and some more bytes. Both runs of bytes are group 8, so the file is
 * the source byte for byte. FORMAT.md, l3.
 */
#ifndef LOD_PLAIN_FILE_H
#define LOD_PLAIN_FILE_H

#include "l3/container.h"

/* Of the container's own fields of a row: a u32 that lod_plain_* does not know. */
#define LOD_PLAIN_AT_OWN 32u

/* Lays out rows of `row_bytes` bytes; as lod_l3_container's take, with `upward` set before. */
bool lod_plain_take(const uint8_t row[LOD_ROW_BYTES], const struct lod_png_header *header,
                    uint8_t side_log2, uint64_t row_bytes, struct lod_l3_row *r);

/* As put, without the own field. */
void lod_plain_put(const struct lod_l3_row *r, uint8_t row[LOD_ROW_BYTES]);

LOD_MUST_CHECK int lod_plain_plan(const struct lod_l3_row *r, struct lod_plan *plan);

/* Where in the rows of the file a band begins. */
uint64_t lod_plain_band_at(const struct lod_l3_row *r, uint32_t band);

#endif
