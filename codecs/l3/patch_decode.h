/* SPDX-License-Identifier: Apache-2.0 */
/* One patch of whatever kind it is. FORMAT.md, L3 stream, Patches. */
#ifndef LOD_PATCH_DECODE_H
#define LOD_PATCH_DECODE_H

#include "compiler.h"
#include "l3/kernels.h"

/*
 * `bytes` is the whole patch; `tables` may be NULL where the stream has none; `rows` is memory to
 * work in. -EILSEQ; the patch's place in `target` is then undefined.
 */
LOD_MUST_CHECK int lod_l3_patch_decode(const struct lod_l3_kernels *kernels,
                                       const struct lod_l3_patch *patch, struct lod_span bytes,
                                       const struct lod_rans_tables *tables,
                                       const struct lod_l3_target *target,
                                       struct lod_small_rows *rows);

#endif
