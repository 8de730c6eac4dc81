/* SPDX-License-Identifier: Apache-2.0 */
/* The encoder of mode paper. */
#ifndef LOD_PAPER_WRITE_H
#define LOD_PAPER_WRITE_H

#include "l3/patch/planes_write.h"

/*
 * Encodes the patch and returns its size. The planes must be unchanged: G not subtracted from R and
 * B.
 */
size_t lod_paper_encode(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                        uint8_t *into);

#endif
