/* SPDX-License-Identifier: Apache-2.0 */
/* The clock for waits and measurements; it is monotonic. */
#ifndef LOD_CLOCK_H
#define LOD_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define LOD_SECOND_NS 1000000000ull

static inline uint64_t lod_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * LOD_SECOND_NS + (uint64_t)now.tv_nsec;
}

/*
 * Returns the time `ns` from now, for pthread_cond_timedwait on a condition of lod_clock_cond_init.
 */
static inline struct timespec lod_clock_until(uint64_t ns)
{
    const uint64_t until = lod_clock_ns() + ns;

    return (struct timespec){.tv_sec = (time_t)(until / LOD_SECOND_NS),
                             .tv_nsec = (long)(until % LOD_SECOND_NS)};
}

/* Initialises a condition whose timed waits use this clock. */
static inline void lod_clock_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

#endif
