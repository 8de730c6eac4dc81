/* SPDX-License-Identifier: Apache-2.0 */
/* The decoders for AVX-512 with VBMI; see patch_dispatch.h. Only patch_dispatch.c includes this. */
#ifndef LOD_PATCH_AVX512_H
#define LOD_PATCH_AVX512_H

#include "l3/simd/patch_dispatch.h"

int lod_packed_avx512(const struct lod_l3_patch *patch, struct lod_span bytes,
                      const struct lod_l3_target *target, struct lod_l3_rows *rows);
int lod_small_avx512(const struct lod_l3_patch *patch, struct lod_span bytes,
                     const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                     struct lod_small_rows *rows);
int lod_small_pair_avx512(const struct lod_l3_patch *patch,
                          const struct lod_span bytes[LOD_L3_PAIR],
                          const struct lod_rans_tables *tables,
                          const struct lod_l3_target target[LOD_L3_PAIR]);

#endif
