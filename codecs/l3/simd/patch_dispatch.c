/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch table of patch decoders, and the choice for this processor. */
#include "l3/simd/patch_dispatch.h"

#include "l3/patch/packed.h"
#ifdef LOD_L3_X86
#include "l3/simd/patch_avx2.h"
#include "l3/simd/patch_avx512.h"
#endif

static bool always(void)
{
    return true;
}

const struct lod_l3_patch_dispatch lod_l3_patch_dispatch_scalar = {
    .name = "scalar",
    .supported = always,
    .packed = lod_l3_packed_decode,
    .small = lod_small_decode,
};

#ifdef LOD_L3_X86
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

/* Decoders of 16-bit samples. Processors with AVX-512 use these too, since they have AVX2. */
static const struct lod_l3_patch_dispatch avx2_16bit = {
    .name = "avx2, 16 bits",
    .supported = has_avx2,
    .packed = lod_packed_16bit_avx2,
    .small = lod_small_16bit_avx2,
};

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("bmi2");
}

static const struct lod_l3_patch_dispatch avx512 = {
    .name = "avx512",
    .supported = has_avx512,
    .for_16bit = &avx2_16bit,
    .packed = lod_packed_avx512,
    .small = lod_small_avx512,
    .small_pair = lod_small_pair_avx512,
};

static const struct lod_l3_patch_dispatch avx2 = {
    .name = "avx2",
    .supported = has_avx2,
    .for_16bit = &avx2_16bit,
    .packed = lod_packed_avx2,
    .small = lod_small_avx2,
};
#endif

const struct lod_l3_patch_dispatch *const lod_l3_patch_dispatch[] = {
#ifdef LOD_L3_X86
    &avx512,
    &avx2,
#endif
    &lod_l3_patch_dispatch_scalar,
    NULL,
};

const struct lod_l3_patch_dispatch *lod_l3_patch_dispatch_best(void)
{
    unsigned i = 0;

    while (!lod_l3_patch_dispatch[i]->supported()) {
        i++;
    }
    return lod_l3_patch_dispatch[i];
}
