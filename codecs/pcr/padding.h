/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Padding blocks fill up the MCUs at the right and bottom edge of an image and lie outside it. A
 * progressive file does not carry them whole, so rebuild data does: FORMAT.md, Rebuild data.
 */
#ifndef LOD_PADDING_H
#define LOD_PADDING_H

#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg_planes.h"

/* Goes through them: component by component, row by row. */
struct lod_padding {
    struct lod_jpeg *jpeg;
    unsigned component;
    uint32_t x, y; /* where the next one is looked for */
};

struct lod_padding lod_padding(struct lod_jpeg *jpeg);

/* The next one, or NULL. *ret_dc: the DC it is expected to have, that of the block before it. */
int16_t *lod_padding_next(struct lod_padding *p, int16_t *ret_dc);

/*
 * Gives every padding block the DC of the block before it and no AC, as most encoders do; but where
 * `tail` says otherwise, those that it has. `tail` may be NULL. -EILSEQ: malformed.
 */
LOD_MUST_CHECK int lod_padding_fill(struct lod_jpeg *jpeg, struct lod_cursor *tail);

#endif
