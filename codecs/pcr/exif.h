/* SPDX-License-Identifier: Apache-2.0 */
/* The one thing in EXIF that decoders act on: which way up the image is. Nothing else is read. */
#ifndef LOD_EXIF_H
#define LOD_EXIF_H

#include <stdint.h>

#include "bytes.h"

/* The orientation 1 .. 8 in the contents of an APP1 "Exif" segment, from its tag on; 0: none. */
uint8_t lod_exif_orientation(struct lod_cursor contents);

/* A whole APP1 segment, marker included, that says this orientation and nothing else. */
#define LOD_EXIF_BYTES 36
void lod_exif_write(uint8_t orientation, uint8_t ret_segment[LOD_EXIF_BYTES]);

#endif
