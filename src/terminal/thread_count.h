/* SPDX-License-Identifier: Apache-2.0 */
/* The default number of threads of a command. */
#ifndef LOD_THREAD_COUNT_H
#define LOD_THREAD_COUNT_H

/* Returns the number of processors available to the process, LOD_POOL_THREADS_MAX at most. */
unsigned lod_thread_count_default(void);

#endif
