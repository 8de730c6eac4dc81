/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of an l3 item: the byte sequences that its maker (l3_make.h) computes. */
#ifndef LOD_L3_FORM_H
#define LOD_L3_FORM_H

#include "l3/container/l3_row.h"

/* See lod_maker. */
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

#endif
