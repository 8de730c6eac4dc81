/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of a tier's state that all its files use; see tier_state.h. */
#include "tier/tier_state.h"

#include "clock.h"

struct lod_tier_now lod_tier_look(struct lod_tier *tier)
{
    const uint64_t now = lod_clock_ns(), used = lod_tier_space_used(&tier->space),
                   room = lod_tier_space_beside(&tier->space, used);

    return (struct lod_tier_now){
        .used = used,
        .room = room,
        .state = lod_tier_health_is_bad(&tier->health, now)  ? LOD_TIER_PAST
                 : !atomic_load(&tier->space.counted)        ? LOD_TIER_COUNTING
                 : lod_tier_space_is_full(&tier->space, now) ? LOD_TIER_NO_SPACE
                 : room < LOD_LOAD_ALIGN                     ? LOD_TIER_FULL
                                                             : LOD_TIER_FILLING,
    };
}

/* Before the files are added up, all of the limit. */
uint64_t lod_tier_lists_limit(const struct lod_tier *tier, const struct lod_tier_now *now)
{
    const uint64_t most = tier->space.bytes_max,
                   end = now->used + (now->state == LOD_TIER_NO_SPACE ? 0 : now->room);

    return now->state == LOD_TIER_PAST                     ? 0
           : now->state == LOD_TIER_COUNTING || end > most ? most
                                                           : end;
}

void lod_tier_wake(struct lod_tier *tier)
{
    tier->announced = true;
    pthread_cond_broadcast(&tier->change);
}

bool lod_tier_is_over(struct lod_tier *tier)
{
    pthread_mutex_lock(&tier->lock);
    const bool over = tier->over;
    pthread_mutex_unlock(&tier->lock);
    return over;
}

void lod_tier_report(struct lod_tier *tier, const char *line)
{
    const uint64_t now = lod_clock_ns();

    pthread_mutex_lock(&tier->lock);
    const bool may = !tier->logged_ns || now - tier->logged_ns > 60 * LOD_SECOND_NS;
    tier->logged_ns = may ? now : tier->logged_ns;
    pthread_mutex_unlock(&tier->lock);
    if (may && tier->log_line) {
        tier->log_line(tier->folder, line);
    }
}
