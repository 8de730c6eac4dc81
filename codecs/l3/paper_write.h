/* SPDX-License-Identifier: Apache-2.0 */
/* The encoder of mode paper. */
#ifndef LOD_PAPER_WRITE_H
#define LOD_PAPER_WRITE_H

#include "l3/planes_write.h"

/* Writes the patch, of planes without `green`, and returns its bytes. */
size_t lod_paper_encode(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                        uint8_t *into);

#endif
