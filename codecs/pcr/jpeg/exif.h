/* SPDX-License-Identifier: Apache-2.0 */
/* The EXIF orientation, the only EXIF field that decoders act on. Nothing else is read. */
#ifndef LOD_EXIF_H
#define LOD_EXIF_H

#include <stdint.h>

#include "bytes.h"

/* Returns the orientation 1 .. 8 in the contents of an APP1 "Exif" segment, from
 * its tag on, or 0. */
uint8_t lod_exif_orientation(struct lod_cursor contents);

/* Writes a whole APP1 segment, marker included, that has only this orientation. */
#define LOD_EXIF_BYTES 36
void lod_exif_write(uint8_t orientation, uint8_t ret_segment[LOD_EXIF_BYTES]);

#endif
