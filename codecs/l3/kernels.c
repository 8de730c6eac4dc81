/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to decode a patch, and which this processor has. */
#include "l3/kernels.h"

#include "l3/packed.h"
#include "l3/paper.h"
#ifdef LOD_L3_X86
#include "l3/patch_avx2.h"
#include "l3/patch_avx512.h"
#endif

static bool always(void)
{
    return true;
}

const struct lod_l3_kernels lod_l3_kernels_scalar = {
    .name = "scalar",
    .supported = always,
    .packed = lod_l3_packed_decode,
    .paper = lod_paper_decode,
    .small = lod_small_decode,
};

#ifdef LOD_L3_X86
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

/* What has AVX-512 has AVX2 as well. */
static const struct lod_l3_kernels avx2_deep = {
    .name = "avx2, 16 bits",
    .supported = has_avx2,
    .packed = lod_deep_packed_avx2,
    .paper = lod_deep_paper_avx2,
    .small = lod_deep_small_avx2,
};

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("bmi2");
}

static const struct lod_l3_kernels avx512 = {
    .name = "avx512",
    .supported = has_avx512,
    .deep = &avx2_deep,
    .packed = lod_packed_avx512,
    .paper = lod_paper_avx512,
    .small = lod_small_avx512,
    .small_pair = lod_small_pair_avx512,
};

static const struct lod_l3_kernels avx2 = {
    .name = "avx2",
    .supported = has_avx2,
    .deep = &avx2_deep,
    .packed = lod_packed_avx2,
    .paper = lod_paper_avx2,
    .small = lod_small_avx2,
};
#endif

const struct lod_l3_kernels *const lod_l3_kernels[] = {
#ifdef LOD_L3_X86
    &avx512,
    &avx2,
#endif
    &lod_l3_kernels_scalar,
    NULL,
};

const struct lod_l3_kernels *lod_l3_kernels_best(void)
{
    unsigned i = 0;

    while (!lod_l3_kernels[i]->supported()) {
        i++;
    }
    return lod_l3_kernels[i];
}
