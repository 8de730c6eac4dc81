/* SPDX-License-Identifier: Apache-2.0 */
/* See tier_health.h. */
#include "tier/tier_health.h"

#include "clock.h"

void lod_tier_health_init(struct lod_tier_health *health)
{
    *health = (struct lod_tier_health){.until_ns = 0};
    pthread_mutex_init(&health->lock, NULL);
}

void lod_tier_health_finish(struct lod_tier_health *health)
{
    pthread_mutex_destroy(&health->lock);
}

/* Stops using the disk if an operation hangs. Returns whether the disk is out of use. The lock
 * is held. */
static bool judge(struct lod_tier_health *health, uint64_t now_ns)
{
    for (unsigned i = 0; i < LOD_TIER_INSIDE; i++) {
        if (health->due_ns[i] && now_ns > health->due_ns[i]) {
            health->until_ns = now_ns + LOD_TIER_PAST_S * LOD_SECOND_NS;
        }
    }
    return now_ns < health->until_ns;
}

int lod_tier_health_begin(struct lod_tier_health *health, unsigned limit_s, uint64_t now_ns)
{
    int place = -1;

    pthread_mutex_lock(&health->lock);
    if (!judge(health, now_ns)) {
        for (unsigned i = 0; i < LOD_TIER_INSIDE && place < 0; i++) {
            place = health->due_ns[i] ? -1 : (int)i;
        }
    }
    if (place >= 0) {
        health->due_ns[place] = now_ns + limit_s * LOD_SECOND_NS;
    }
    pthread_mutex_unlock(&health->lock);
    return place;
}

/* Notes an error; the time of the oldest error in the ring shows whether there were too many. The
 * lock is held. */
static void add_error(struct lod_tier_health *health, uint64_t now_ns)
{
    health->error_ns[health->errors++ % LOD_TIER_ERRORS] = now_ns;
    const uint64_t oldest = health->error_ns[health->errors % LOD_TIER_ERRORS];
    if (oldest && now_ns - oldest <= LOD_TIER_ERRORS_S * LOD_SECOND_NS) {
        health->until_ns = now_ns + LOD_TIER_PAST_S * LOD_SECOND_NS;
    }
}

void lod_tier_health_end(struct lod_tier_health *health, int place, bool failed, uint64_t now_ns)
{
    pthread_mutex_lock(&health->lock);
    (void)judge(health, now_ns);
    health->due_ns[place] = 0;
    if (failed) {
        add_error(health, now_ns);
    }
    pthread_mutex_unlock(&health->lock);
}

bool lod_tier_health_is_bad(struct lod_tier_health *health, uint64_t now_ns)
{
    pthread_mutex_lock(&health->lock);
    const bool is = judge(health, now_ns);
    pthread_mutex_unlock(&health->lock);
    return is;
}
