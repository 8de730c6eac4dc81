/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread pool under ThreadSanitizer. Jobs write without locks, the caller reads after each
 * lod_pool_each, and pools are made and destroyed in between. A missing barrier is a reported race.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "pool.h"

#define JOBS   257
#define ROUNDS 200

struct round {
    unsigned number;
    uint32_t made[JOBS]; /* written by job i only */
};

static int make(void *ctx, uint64_t index)
{
    struct round *round = ctx;
    round->made[index] += (uint32_t)index + round->number;
    return round->number % 16 == 15 && index == 100 ? -ERANGE : 0;
}

/* Returns 0 if each job before `count` ran once in this round. */
static int look(const struct round *round, unsigned count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (round->made[i] != i + round->number) {
            fprintf(stderr, "round %u: job %u ran wrongly\n", round->number, i);
            return 1;
        }
    }
    return 0;
}

static int run_rounds(struct lod_pool *pool)
{
    int wrong = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct round round = {.number = i};
        int want = i % 16 == 15 ? -ERANGE : 0;
        int rc = lod_pool_each(pool, JOBS, make, &round);
        if (rc != want) {
            fprintf(stderr, "round %u: %d, expected %d\n", i, rc, want);
            wrong++;
        }
        wrong += look(&round, want ? 101 : JOBS);
    }
    return wrong;
}

int main(void)
{
    int wrong = 0;
    for (unsigned threads = 1; threads <= 5; threads++) {
        struct lod_pool *pool = NULL;
        int rc = lod_pool_create(threads, &pool);
        if (rc != 0) {
            fprintf(stderr, "no pool of %u threads: %s\n", threads, strerror(-rc));
            return 1;
        }
        wrong += run_rounds(pool);
        lod_pool_destroy(pool);
    }
    return wrong != 0;
}
