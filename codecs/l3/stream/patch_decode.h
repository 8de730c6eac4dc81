/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes one patch of any kind. FORMAT.md, L3 stream, Patches. */
#ifndef LOD_PATCH_DECODE_H
#define LOD_PATCH_DECODE_H

#include "compiler.h"
#include "l3/simd/patch_dispatch.h"

/*
 * Decodes a patch; `bytes` is all of it. `tables` may be NULL if the stream has none; `rows` is
 * working memory. Returns -EILSEQ; the samples are then undefined.
 */
LOD_MUST_CHECK int lod_l3_patch_decode(const struct lod_l3_patch_dispatch *kernels,
                                       const struct lod_l3_patch *patch, struct lod_span bytes,
                                       const struct lod_rans_tables *tables,
                                       const struct lod_l3_target *target,
                                       struct lod_small_rows *rows);

#endif
