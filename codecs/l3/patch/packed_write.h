/* SPDX-License-Identifier: Apache-2.0 */
/* The encoder of mode packed. It takes for each run the predictor that needs the fewest bytes. */
#ifndef LOD_PACKED_WRITE_H
#define LOD_PACKED_WRITE_H

#include "l3/patch/planes_write.h"

/* The size of the largest possible patch: 16 bits a field, and the sections before the fields. */
#define LOD_L3_PATCH_BYTES_MAX (160u << 10)

/* Writes the patch and returns its size, at most LOD_L3_PATCH_BYTES_MAX. */
size_t lod_l3_packed_encode(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                            uint8_t *into);

#endif
