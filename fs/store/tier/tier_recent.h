/* SPDX-License-Identifier: Apache-2.0 */
/* A small set of hashes that are forgotten after a minute, or when many others were added. */
#ifndef LOD_TIER_RECENT_H
#define LOD_TIER_RECENT_H

#include <stdbool.h>
#include <stdint.h>

#define LOD_TIER_RECENT   512u
#define LOD_TIER_RECENT_S 60u

/* All zero: empty. Its owner has a lock. */
struct lod_tier_recent {
    struct {
        uint64_t hash, ns;
    } at[LOD_TIER_RECENT]; /* a ring */
    unsigned count;
};

bool lod_tier_recent_has(const struct lod_tier_recent *recent, uint64_t hash, uint64_t now_ns);
void lod_tier_recent_add(struct lod_tier_recent *recent, uint64_t hash, uint64_t now_ns);

#endif
