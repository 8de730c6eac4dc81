/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and time; see jobs.h. */
#include "jobs.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "pool.h"

unsigned lod_jobs_default(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > LOD_POOL_THREADS_MAX ? LOD_POOL_THREADS_MAX : (unsigned)count;
}

bool lod_jobs_parse(const char *text, unsigned *ret_threads)
{
    char *end = NULL;

    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || number == 0 ||
        number > LOD_POOL_THREADS_MAX) {
        return false;
    }
    *ret_threads = (unsigned)number;
    return true;
}

double lod_jobs_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
