/* SPDX-License-Identifier: Apache-2.0 */
/* xxHash behind two functions; where the library can, it takes the widest vectors of this CPU. */
#include "hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>
#ifdef LOD_XXH_DISPATCH
#include <xxh_x86dispatch.h> /* the names below become its own */
#endif

uint64_t lod_hash64(const void *bytes, size_t count, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, count, seed);
}

struct lod_id lod_hash128(const void *bytes, size_t count)
{
    XXH128_hash_t hash = XXH3_128bits(bytes, count);
    return (struct lod_id){.low = hash.low64, .high = hash.high64};
}

void lod_id_text(struct lod_id id, char text[LOD_ID_TEXT_BYTES])
{
    snprintf(text, LOD_ID_TEXT_BYTES, "%016" PRIx64 "%016" PRIx64, id.high, id.low);
}
