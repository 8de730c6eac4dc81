/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two JPEGs by their coefficients. */
#ifndef LOD_JPEG_SAME_H
#define LOD_JPEG_SAME_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "pcr/jpeg/jpeg_planes.h"

static inline bool same_component(const struct lod_jpeg *a, const struct lod_jpeg *b, unsigned c)
{
    const struct lod_jpeg_component *x = &a->frame.component[c], *y = &b->frame.component[c];
    bool same = memcmp(a->quant[x->quant], b->quant[y->quant], sizeof(a->quant[0])) == 0;

    for (uint32_t row = 0; same && row < x->blocks_high; row++) {
        same = memcmp(lod_jpeg_row(a, c, row), lod_jpeg_row(b, c, row),
                      x->blocks_wide * sizeof(a->plane[c][0])) == 0;
    }
    return same;
}

/* Returns 0 if both have the same coefficients, tables, sampling and ids, -EBADMSG if not. Padding
 * is not compared. */
static inline int jpeg_same(const struct lod_jpeg *a, const struct lod_jpeg *b)
{
    bool same = lod_jpeg_frame_same(&a->frame, &b->frame) == 0;

    for (unsigned c = 0; same && c < a->frame.components; c++) {
        same = same_component(a, b, c);
    }
    return same ? 0 : -EBADMSG;
}

#endif
