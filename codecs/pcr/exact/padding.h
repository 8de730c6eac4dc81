/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Padding blocks complete the MCUs at the right and bottom edge of an image, and lie outside it. A
 * progressive file does not have them completely, so rebuild data does: FORMAT.md, Rebuild data.
 */
#ifndef LOD_PADDING_H
#define LOD_PADDING_H

#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg/jpeg_planes.h"

/* Iterates over padding blocks: component by component, row by row. */
struct lod_padding {
    struct lod_jpeg *jpeg;
    unsigned component;
    uint32_t x, y; /* position where the search continues */
};

struct lod_padding lod_padding(struct lod_jpeg *jpeg);

/* Returns the next padding block, or NULL. *ret_dc is its expected DC,
 * that of the block before it. */
int16_t *lod_padding_next(struct lod_padding *p, int16_t *ret_dc);

/*
 * Fills every padding block with the DC of the block before it and no AC, as most encoders do.
 * Blocks that `tail` lists get its values instead. `tail` may be NULL. Returns -EILSEQ if it is
 * malformed.
 */
LOD_MUST_CHECK int lod_padding_fill(struct lod_jpeg *jpeg, struct lod_cursor *tail);

#endif
