/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory promised to work in progress: who wants more than is left waits, first come, first
 * served. A thread holds at most one promise and takes it whole, so nobody waits for ever.
 */
#ifndef LOD_BUDGET_H
#define LOD_BUDGET_H

#include <pthread.h>
#include <stdint.h>

struct lod_budget {
    pthread_mutex_t lock;
    pthread_cond_t given;
    uint64_t bytes_max;
    uint64_t bytes;        /* promised; guarded by lock, like the tickets */
    uint64_t next, served; /* tickets: drawn, and whose turn it is */
};

void lod_budget_init(struct lod_budget *budget, uint64_t bytes_max);
void lod_budget_finish(struct lod_budget *budget);

/* Waits for `bytes`, or for all of the budget if that is less. Returns what to give back. */
uint64_t lod_budget_take(struct lod_budget *budget, uint64_t bytes);
void lod_budget_give(struct lod_budget *budget, uint64_t bytes);

#endif
