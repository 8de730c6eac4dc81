/* SPDX-License-Identifier: Apache-2.0 */
/* The decoders for AVX2 with BMI2; see patch_dispatch.h. Only patch_dispatch.c includes this. */
#ifndef LOD_PATCH_AVX2_H
#define LOD_PATCH_AVX2_H

#include "l3/simd/patch_dispatch.h"

int lod_packed_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                    const struct lod_l3_target *target, struct lod_l3_rows *rows);
int lod_small_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                   const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                   struct lod_small_rows *rows);

/* For samples of 16 bits. */
int lod_packed_16bit_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                          const struct lod_l3_target *target, struct lod_l3_rows *rows);
int lod_small_16bit_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                         const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                         struct lod_small_rows *rows);

#endif
