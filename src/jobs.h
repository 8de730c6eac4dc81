/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads a command works with, and how long it has. */
#ifndef LOD_JOBS_H
#define LOD_JOBS_H

#include <stdbool.h>

/* As many as there are processors for us, LOD_POOL_THREADS_MAX at most. */
unsigned lod_jobs_default(void);

/* -j's value: 1 to LOD_POOL_THREADS_MAX; false: it is none. */
bool lod_jobs_parse(const char *text, unsigned *ret_threads);

/* Seconds on a clock that never goes back. */
double lod_jobs_seconds(void);

#endif
