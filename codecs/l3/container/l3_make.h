/* SPDX-License-Identifier: Apache-2.0 */
/* The maker of l3 items: decodes bands of patches and converts them to bytes of files. */
#ifndef LOD_L3_MAKE_H
#define LOD_L3_MAKE_H

#include "codec.h"

/* The forms of an item; see lod_maker. */
enum lod_l3_form {
    LOD_L3_FORM_FILE,   /* the bands of the file; see `upward` of lod_l3_row */
    LOD_L3_FORM_PIXELS, /* the pixels of decoded/; see l3_pixels.h */
    LOD_L3_FORM_LAST,   /* the last band of a file that begins with it; FILE has the others */
};

extern const struct lod_maker lod_l3_maker;

#endif
