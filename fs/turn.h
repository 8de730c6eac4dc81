/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose turn it is to read a prefix: one thread's at a time. Others wait for a step of it and look
 * again for what they miss. Knows no prefixes.
 */
#ifndef LOD_TURN_H
#define LOD_TURN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

struct lod_turn {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool busy;      /* guarded by lock, like all below */
    uint64_t steps; /* of turns, and their ends */
    bool over;      /* nobody may begin any more, and who has begun should end */
};

void lod_turn_init(struct lod_turn *turn);
void lod_turn_finish(struct lod_turn *turn);

enum lod_turn_begun {
    LOD_TURN_MINE,
    LOD_TURN_MOVED, /* it waited for a step of the one whose turn it is */
    LOD_TURN_STUCK, /* there was none for LOD_TURN_PATIENCE_NS: its storage stalls, or is very slow
                     */
};
LOD_MUST_CHECK enum lod_turn_begun lod_turn_begin(struct lod_turn *turn);

/* A load takes a second at most, as a rule (lod_pace_load). */
#define LOD_TURN_PATIENCE_NS 1500000000ull

/* Waits for the turn to be this thread's. False: it is over. */
LOD_MUST_CHECK bool lod_turn_await(struct lod_turn *turn);

/* False: it is over. */
bool lod_turn_step(struct lod_turn *turn);
void lod_turn_end(struct lod_turn *turn);

void lod_turn_over(struct lod_turn *turn);

#endif
