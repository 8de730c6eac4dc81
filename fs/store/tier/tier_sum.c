/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of a tier. It adds up the slices when the mount begins, and again when the tier seems
 * to be full, since its files may have been removed. It also does the work of tier_evict.h. See
 * tier_state.h. */
#include <errno.h>

#include "clock.h"
#include "thread_start.h"
#include "tier/tier_files.h"
#include "tier/tier_state.h"

#define PAUSE_NS (300 * LOD_SECOND_NS) /* between two counts */
#define RETRY_NS LOD_SECOND_NS         /* between two tries to get the lock */

struct sum {
    struct lod_tier *tier;
    uint64_t bytes;
};

static int add(void *ctx, const struct lod_tier_slice *slice)
{
    struct sum *sum = ctx;

    sum->bytes += lod_tier_space_of(slice->bytes);
    return lod_tier_is_over(sum->tier) ? -EINTR : 0;
}

/* Returns false if another mount keeps the lock. A folder that cannot be read stays uncounted, so
 * nothing is written to it. */
static bool add_up(struct lod_tier *tier)
{
    struct sum sum = {.tier = tier};

    if (!lod_tier_space_lock(&tier->space)) {
        return false;
    }
    atomic_store(&tier->space.counted, false);
    int error = lod_tier_files_each(tier->dir_fd, add, &sum);
    if (!error) {
        lod_tier_space_set(&tier->space, sum.bytes);
    } else if (error != -EINTR) {
        lod_tier_report(tier, "its folders cannot be read: nothing is written");
    }
    lod_tier_space_unlock(&tier->space);
    return true;
}

/* Waits until `due_ns`, or until jobs have changed their lists. Returns false at the end. */
static bool await(struct lod_tier *tier, uint64_t due_ns)
{
    const uint64_t now = lod_clock_ns();
    const struct timespec until = lod_clock_until(due_ns > now ? due_ns - now : 0);
    int late = 0;

    pthread_mutex_lock(&tier->lock);
    while (!tier->over && !tier->announced && !late) {
        late = pthread_cond_timedwait(&tier->change, &tier->lock, &until);
    }
    const bool more = !tier->over;
    pthread_mutex_unlock(&tier->lock);
    return more;
}

static bool take(struct lod_tier *tier, bool *wants_sum)
{
    pthread_mutex_lock(&tier->lock);
    const bool was = *wants_sum;
    *wants_sum = false;
    pthread_mutex_unlock(&tier->lock);
    return was;
}

static void *run(void *ctx)
{
    struct lod_tier *tier = ctx;
    uint64_t due = 0;
    bool wants = true;

    do {
        if (lod_clock_ns() >= due) {
            wants = take(tier, &tier->wants_sum) || wants;
            wants = wants && !add_up(tier);
            due = lod_clock_ns() + (wants ? RETRY_NS : PAUSE_NS);
        }
        if (take(tier, &tier->announced)) {
            lod_tier_eviction_update(tier);
        }
    } while (await(tier, due));
    return NULL;
}

int lod_tier_sum_start(struct lod_tier *tier)
{
    return lod_thread_start(&tier->thread, run, tier);
}

void lod_tier_sum_end(struct lod_tier *tier)
{
    pthread_mutex_lock(&tier->lock);
    tier->over = true;
    pthread_cond_broadcast(&tier->change);
    pthread_mutex_unlock(&tier->lock);
    pthread_join(tier->thread, NULL);
}
