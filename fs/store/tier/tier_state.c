/* SPDX-License-Identifier: Apache-2.0 */
/* The questions about the state that all files of a tier ask; see tier_state.h. */
#include "tier/tier_state.h"

#include "clock.h"

bool lod_tier_is_over(struct lod_tier *tier)
{
    pthread_mutex_lock(&tier->lock);
    const bool over = tier->over;
    pthread_mutex_unlock(&tier->lock);
    return over;
}

void lod_tier_say(struct lod_tier *tier, const char *line)
{
    const uint64_t now = lod_clock_ns();

    pthread_mutex_lock(&tier->lock);
    const bool may = !tier->said_ns || now - tier->said_ns > 60 * LOD_SECOND_NS;
    tier->said_ns = may ? now : tier->said_ns;
    pthread_mutex_unlock(&tier->lock);
    if (may && tier->say) {
        tier->say(tier->folder, line);
    }
}
