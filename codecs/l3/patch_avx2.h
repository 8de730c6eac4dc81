/* SPDX-License-Identifier: Apache-2.0 */
/* The decoders for AVX2 with BMI2; see kernels.h. The file is for kernels.c alone. */
#ifndef LOD_PATCH_AVX2_H
#define LOD_PATCH_AVX2_H

#include "l3/kernels.h"

int lod_packed_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                    const struct lod_l3_target *target, struct lod_l3_rows *rows);
int lod_paper_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                   const struct lod_l3_target *target, struct lod_l3_rows *rows);
int lod_small_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                   const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                   struct lod_small_rows *rows);

/* The same for samples of 16 bits. */
int lod_deep_packed_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                         const struct lod_l3_target *target, struct lod_l3_rows *rows);
int lod_deep_paper_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                        const struct lod_l3_target *target, struct lod_l3_rows *rows);
int lod_deep_small_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                        const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                        struct lod_small_rows *rows);

#endif
