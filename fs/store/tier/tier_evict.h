/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eviction in a full tier, for the records that jobs have listed: slices that no list names are
 * evicted for them. First those are evicted that a list named before, then those whose last use is
 * the oldest; of a record the last slice goes first. Without a list nothing is evicted. The
 * functions that tier.c calls are in tier_state.h.
 */
#ifndef LOD_TIER_EVICT_H
#define LOD_TIER_EVICT_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "tier/tier_claims.h"
#include "tier/tier_files.h"
#include "tier/tier_lists.h"

#define LOD_TIER_VICTIMS 4096u /* slices that one search finds */

/* Slices that may be evicted, in this order. */
struct lod_tier_victims {
    LOD_LIST(struct lod_tier_slice);
    size_t next;
    uint64_t bytes; /* of those from `next` on */
};

/* Keeps the slice if it is among the first LOD_TIER_VICTIMS to evict. */
LOD_MUST_CHECK int lod_tier_victims_add(struct lod_tier_victims *victims,
                                        const struct lod_tier_slice *slice);
/* Sorts the slices. Call it after the last one was added. */
void lod_tier_victims_sort(struct lod_tier_victims *victims);
/* Returns the next slice to evict; false: there is none. */
bool lod_tier_victims_take(struct lod_tier_victims *victims, struct lod_tier_slice *ret_slice);
void lod_tier_victims_finish(struct lod_tier_victims *victims);

struct lod_tier_eviction {
    struct lod_tier_lists lists; /* its file is written only by the tier's thread */
    /* The lock of the tier guards these. */
    struct lod_tier_keys announced; /* by jobs of this mount, in their order */
    /* the same, sorted; `bytes` is the position, counted from the end of `announced` */
    struct lod_tier_keys listed;
    struct lod_tier_keys unlisted; /* were listed, and their slices are not marked yet */
    /* other slices may be evicted for these, whose own slices are not */
    struct lod_tier_claims claims;
    uint64_t claims_ns; /* when the claims of others were read; 0: never */
    struct lod_tier_victims victims;
    uint64_t searched_ns; /* when victims were last searched; 0: never */
};

#endif
