/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and time; see thread_count.h. */
#include "terminal/thread_count.h"

#include <sched.h>
#include <time.h>

#include "pool.h"

unsigned lod_thread_count_default(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > LOD_POOL_THREADS_MAX ? LOD_POOL_THREADS_MAX : (unsigned)count;
}

double lod_thread_count_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
