/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shares of a tier that mounts with lists claim. The first records of a list are claimed, as
 * many as the claims of other mounts leave space for. The file of a mount's lists names the claimed
 * records (tier_lists.h). A record that two mounts claim takes space once. So all claims together
 * fit in the tier, and a mount that is killed has no claims. The functions that tier.c calls are in
 * tier_state.h.
 */
#ifndef LOD_TIER_CLAIMS_H
#define LOD_TIER_CLAIMS_H

#include <stdint.h>

#include "tier/tier_lists.h"

struct lod_tier_claims {
    uint64_t others_bytes; /* that other mounts have claimed */
    uint64_t shared_bytes; /* of them, in the first `count` records of this mount's lists */
    size_t count;          /* the number of claimed records */
};

/* Returns the claims of a list, in its order. `others`: the claims of other mounts, sorted. All
 * claims together may take `limit` bytes. Pure. */
struct lod_tier_claims lod_tier_claims_of(const struct lod_tier_keys *announced,
                                          const struct lod_tier_keys *others, uint64_t limit);

/* Returns how many bytes of the tier the lists of this mount may take. */
static inline uint64_t lod_tier_claims_room(const struct lod_tier_claims *claims, uint64_t limit)
{
    const uint64_t others = claims->others_bytes;

    return (limit > others ? limit - others : 0) + claims->shared_bytes;
}

#endif
