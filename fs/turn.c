/* SPDX-License-Identifier: Apache-2.0 */
/* One lock and one condition; see turn.h. */
#include "turn.h"

#include "clock.h"

void lod_turn_init(struct lod_turn *turn)
{
    *turn = (struct lod_turn){0};
    pthread_mutex_init(&turn->lock, NULL);
    lod_clock_cond_init(&turn->moved);
}

void lod_turn_finish(struct lod_turn *turn)
{
    pthread_cond_destroy(&turn->moved);
    pthread_mutex_destroy(&turn->lock);
}

/* The lock is held. False: nothing moved in all that time. */
static bool await_step(struct lod_turn *turn)
{
    const struct timespec until = lod_clock_until(LOD_TURN_PATIENCE_NS);
    int error = 0;

    for (uint64_t steps = turn->steps; steps == turn->steps && !error;) {
        error = pthread_cond_timedwait(&turn->moved, &turn->lock, &until);
    }
    return !error;
}

enum lod_turn_begun lod_turn_begin(struct lod_turn *turn)
{
    enum lod_turn_begun begun = LOD_TURN_MINE;

    pthread_mutex_lock(&turn->lock);
    if (turn->busy) {
        begun = await_step(turn) ? LOD_TURN_MOVED : LOD_TURN_STUCK;
    } else {
        turn->busy = true;
    }
    pthread_mutex_unlock(&turn->lock);
    return begun;
}

bool lod_turn_await(struct lod_turn *turn)
{
    pthread_mutex_lock(&turn->lock);
    while (turn->busy && !turn->over) {
        pthread_cond_wait(&turn->moved, &turn->lock);
    }
    bool mine = !turn->over;
    turn->busy = mine || turn->busy;
    pthread_mutex_unlock(&turn->lock);
    return mine;
}

bool lod_turn_step(struct lod_turn *turn)
{
    pthread_mutex_lock(&turn->lock);
    bool more = !turn->over;
    turn->steps++;
    pthread_cond_broadcast(&turn->moved);
    pthread_mutex_unlock(&turn->lock);
    return more;
}

void lod_turn_end(struct lod_turn *turn)
{
    pthread_mutex_lock(&turn->lock);
    turn->busy = false;
    turn->steps++;
    pthread_cond_broadcast(&turn->moved);
    pthread_mutex_unlock(&turn->lock);
}

void lod_turn_over(struct lod_turn *turn)
{
    pthread_mutex_lock(&turn->lock);
    turn->over = true;
    pthread_cond_broadcast(&turn->moved);
    pthread_mutex_unlock(&turn->lock);
}
