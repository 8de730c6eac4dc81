/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts forks with a handler that fork runs in the child (pthread_atfork). Every use of a handle
 * compares the counter, so reading it must be cheap: it is a load, and getpid() is a system call. A
 * process id can also be the same: each child in a PID namespace of its own is number 1.
 *
 * _Fork, vfork and clone run no handlers. Their child may call only functions that are safe in a
 * signal handler. malloc is not, so this library cannot be used there.
 */
#include "api/lodfs_process.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint generation; /* written by the only thread of a child */
static int watch_error;        /* written before main */

static void count_fork(void)
{
    atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}

__attribute__((constructor)) static void watch(void)
{
    watch_error = -pthread_atfork(NULL, NULL, count_fork);
}

unsigned lod_process_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

int lod_process_check(void)
{
    return watch_error;
}
