/* SPDX-License-Identifier: Apache-2.0 */
/* See thread_count.h. */
#include "terminal/thread_count.h"

#include <sched.h>

#include "pool.h"

unsigned lod_thread_count_default(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > LOD_POOL_THREADS_MAX ? LOD_POOL_THREADS_MAX : (unsigned)count;
}
