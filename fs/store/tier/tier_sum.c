/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that adds up a tier: when the mount begins, and again when it seems to be full, since
 * its files may have been removed. See tier_state.h. */
#include <errno.h>

#include "clock.h"
#include "tier/tier_files.h"
#include "tier/tier_state.h"

#define PAUSE_NS (300 * LOD_SECOND_NS) /* between two sums */
#define RETRY_NS LOD_SECOND_NS         /* while other mounts write */

static bool is_over(void *ctx)
{
    struct lod_tier *tier = ctx;

    pthread_mutex_lock(&tier->lock);
    const bool over = tier->over;
    pthread_mutex_unlock(&tier->lock);
    return over;
}

/* Returns false if another mount keeps the lock. A folder that cannot be read stays uncounted, so
 * nothing is written to it. */
static bool add_up(struct lod_tier *tier)
{
    uint64_t bytes = 0;

    if (!lod_tier_space_lock(&tier->space)) {
        return false;
    }
    atomic_store(&tier->space.counted, false);
    int error = lod_tier_files_sum(tier->dir_fd, is_over, tier, &bytes);
    if (!error) {
        lod_tier_space_set(&tier->space, bytes);
    } else if (error != -EINTR) {
        lod_tier_say(tier, "its folders cannot be read: nothing is written");
    }
    lod_tier_space_unlock(&tier->space);
    return true;
}

static void await(struct lod_tier *tier, uint64_t ns)
{
    const struct timespec until = lod_clock_until(ns);

    pthread_mutex_lock(&tier->lock);
    while (!tier->over && !pthread_cond_timedwait(&tier->change, &tier->lock, &until)) {
    }
    pthread_mutex_unlock(&tier->lock);
}

static bool take_wish(struct lod_tier *tier)
{
    pthread_mutex_lock(&tier->lock);
    const bool wants = tier->wants_sum;
    tier->wants_sum = false;
    pthread_mutex_unlock(&tier->lock);
    return wants;
}

static void *run(void *ctx)
{
    struct lod_tier *tier = ctx;
    bool wants = true;

    while (!is_over(tier)) {
        const bool done = !wants || add_up(tier);
        await(tier, done ? PAUSE_NS : RETRY_NS);
        wants = !done || take_wish(tier);
    }
    return NULL;
}

int lod_tier_sum_start(struct lod_tier *tier)
{
    return -pthread_create(&tier->thread, NULL, run, tier);
}

void lod_tier_sum_end(struct lod_tier *tier)
{
    pthread_mutex_lock(&tier->lock);
    tier->over = true;
    pthread_cond_broadcast(&tier->change);
    pthread_mutex_unlock(&tier->lock);
    pthread_join(tier->thread, NULL);
}
