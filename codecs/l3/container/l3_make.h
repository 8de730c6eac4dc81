/* SPDX-License-Identifier: Apache-2.0 */
/* The maker of l3 items: decodes bands of patches and converts them to bytes of files. */
#ifndef LOD_L3_MAKE_H
#define LOD_L3_MAKE_H

#include "codec.h"
#include "l3/container/l3_row.h"

/* The forms of an item; see lod_maker. */
enum lod_l3_form {
    LOD_L3_FORM_FILE,   /* the bands of the file; see `upward` of lod_l3_row */
    LOD_L3_FORM_PIXELS, /* the pixels of decoded/; see l3_pixels.h */
    LOD_L3_FORM_LAST,   /* the last band of a file that begins with it; FILE has the others */

    /* And the number of a level, 1 .. 7: the file from its pixels on; the pixels. */
    LOD_L3_FORM_LEVEL = 16,
    LOD_L3_FORM_LEVEL_PIXELS = 32,
};

/* Returns the group that begins with the bytes around the pixels of a form. */
static inline unsigned lod_l3_around(unsigned form)
{
    return form < LOD_L3_FORM_LEVEL ? LOD_L3_GROUP_CHUNKS : 1;
}

extern const struct lod_maker lod_l3_maker;

#endif
