/* SPDX-License-Identifier: Apache-2.0 */
/* The maker of l3 items: bands of patches become the bytes of files. */
#ifndef LOD_L3_MAKE_H
#define LOD_L3_MAKE_H

#include "codec.h"

/* Forms of an item; see lod_maker. */
enum lod_l3_form {
    LOD_L3_FORM_FILE,   /* the bands of its file; see lod_l3_row's `upward` */
    LOD_L3_FORM_PIXELS, /* l3_pixels.h */
    LOD_L3_FORM_LAST,   /* the last band of a file that begins with it; FILE has the others */
};

extern const struct lod_maker lod_l3_maker;

#endif
