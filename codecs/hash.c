/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xxHash behind two functions. Where xxHash has a dispatcher, the widest vectors of this processor
 * are used.
 */
#include "hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>
#ifdef LOD_XXH_DISPATCH
#include <xxh_x86dispatch.h> /* redefines the functions below */
#endif

/*
 * Debian's libxxhash returns without vzeroupper. The upper halves of the AVX registers then stay in
 * use, and every later SSE instruction of the thread waits for them. Measured: exp() takes 150 ns
 * instead of 10.
 */
static void clear_upper_halves(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx")) {
        __asm__ volatile("vzeroupper");
    }
#endif
}

uint64_t lod_hash64(const void *bytes, size_t count, uint64_t seed)
{
    uint64_t hash = XXH3_64bits_withSeed(bytes, count, seed);
    clear_upper_halves();
    return hash;
}

struct lod_id lod_hash128(const void *bytes, size_t count)
{
    XXH128_hash_t hash = XXH3_128bits(bytes, count);
    clear_upper_halves();
    return (struct lod_id){.low = hash.low64, .high = hash.high64};
}

void lod_id_text(struct lod_id id, char text[LOD_ID_TEXT_BYTES])
{
    snprintf(text, LOD_ID_TEXT_BYTES, "%016" PRIx64 "%016" PRIx64, id.high, id.low);
}
