/* SPDX-License-Identifier: Apache-2.0 */
/* See tier_recent.h. */
#include "tier/tier_recent.h"

#include "clock.h"

bool lod_tier_recent_has(const struct lod_tier_recent *recent, uint64_t hash, uint64_t now_ns)
{
    for (unsigned i = 0; i < recent->count && i < LOD_TIER_RECENT; i++) {
        if (recent->at[i].hash == hash &&
            now_ns - recent->at[i].ns < LOD_TIER_RECENT_S * LOD_SECOND_NS) {
            return true;
        }
    }
    return false;
}

void lod_tier_recent_add(struct lod_tier_recent *recent, uint64_t hash, uint64_t now_ns)
{
    const unsigned place = recent->count++ % LOD_TIER_RECENT;

    recent->at[place].hash = hash;
    recent->at[place].ns = now_ns;
}
