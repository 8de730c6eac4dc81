/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of the tier claims, under the lock of the space, so that no two mounts claim the same
 * space. Requests of jobs only read the lists of others, at most once a second, and let the thread
 * claim again if the others leave more or less. See tier_claims.h.
 */
#include "tier/tier_claims.h"

#include <stdlib.h>

#include "bytes.h"
#include "clock.h"
#include "tier/tier_state.h"

#define CHECK_NS LOD_SECOND_NS /* between two reads of the lists of others */
#define TRIES    3u /* to read a list that is being rewritten, which takes under a millisecond */

/* The numbers come from files: their sum stays in its range. */
static uint64_t sum_of(const struct lod_tier_keys *keys)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < keys->count; i++) {
        const uint64_t bytes = keys->at[i].bytes;
        sum = bytes > UINT64_MAX - sum ? UINT64_MAX : sum + bytes;
    }
    return sum;
}

struct lod_tier_claims lod_tier_claims_of(const struct lod_tier_keys *announced,
                                          const struct lod_tier_keys *others, uint64_t limit)
{
    struct lod_tier_claims claims = {.others_bytes = sum_of(others)};
    uint64_t left = limit > claims.others_bytes ? limit - claims.others_bytes : 0;

    for (size_t i = 0; i < announced->count; i++) {
        const struct lod_listed *at = &announced->at[i],
                                *other = lod_tier_keys_find(others, at->key);
        const uint64_t shared = other ? lod_least(other->bytes, at->bytes) : 0;
        if (at->bytes - shared > left) {
            break;
        }
        left -= at->bytes - shared;
        claims.shared_bytes += shared;
        claims.count++;
    }
    return claims;
}

/* Computes the claims anew, unless the disk is not used. Returns the previous claims. */
static struct lod_tier_claims note(struct lod_tier *tier, const struct lod_tier_keys *others,
                                   uint64_t limit)
{
    struct lod_tier_eviction *eviction = &tier->eviction;

    pthread_mutex_lock(&tier->lock);
    const struct lod_tier_claims before = eviction->claims;
    eviction->claims = limit ? lod_tier_claims_of(&eviction->announced, others, limit) : before;
    eviction->claims_ns = lod_clock_ns();
    pthread_mutex_unlock(&tier->lock);
    return before;
}

/* Returns whether it is time to read the lists of others again. */
static bool is_due(struct lod_tier *tier)
{
    pthread_mutex_lock(&tier->lock);
    const uint64_t last = tier->eviction.claims_ns;
    pthread_mutex_unlock(&tier->lock);
    return !last || lod_clock_ns() - last > CHECK_NS;
}

static void update_claims(struct lod_tier *tier, uint64_t limit)
{
    struct lod_tier_keys others = {0};
    int error = -EAGAIN;

    for (unsigned tries = 0; error == -EAGAIN && tries < TRIES; tries++) {
        error = lod_tier_lists_others(&tier->eviction.lists, &others);
    }
    if (error) {
        return; /* the claims that were noted before stay */
    }
    const struct lod_tier_claims before = note(tier, &others, limit);
    free(others.at);
    pthread_mutex_lock(&tier->lock);
    if (before.count != tier->eviction.claims.count) {
        lod_tier_wake(tier);
    }
    pthread_mutex_unlock(&tier->lock);
}

uint64_t lod_tier_lists_room(struct lod_tier *tier, uint64_t limit)
{
    if (limit && is_due(tier)) {
        update_claims(tier, limit);
    }
    pthread_mutex_lock(&tier->lock);
    const uint64_t room = limit ? lod_tier_claims_room(&tier->eviction.claims, limit) : 0;
    pthread_mutex_unlock(&tier->lock);
    return room;
}

int lod_tier_claim(struct lod_tier *tier, struct lod_tier_keys *announced,
                   struct lod_tier_keys *ret_others)
{
    /* Another mount may keep the lock for long while it adds up the files; it claims nothing
     * meanwhile. */
    const bool locked = lod_tier_space_lock(&tier->space);
    const struct lod_tier_now now = lod_tier_look(tier);
    const uint64_t limit = lod_tier_lists_limit(tier, &now);
    int error = lod_tier_lists_others(&tier->eviction.lists, ret_others);

    if (!error) {
        announced->count = lod_tier_claims_of(announced, ret_others, limit).count;
        error = lod_tier_lists_write(&tier->eviction.lists, announced,
                                     lod_least(announced->count, LOD_TIER_LISTED_MAX));
        (void)note(tier, ret_others, limit);
    }
    if (locked) {
        lod_tier_space_unlock(&tier->space);
    }
    return error;
}
