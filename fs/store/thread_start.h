/* SPDX-License-Identifier: Apache-2.0 */
/* Starts threads with all signals blocked: signals are for the thread that waits for them. */
#ifndef LOD_THREAD_START_H
#define LOD_THREAD_START_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* Starts a thread with all signals blocked, in it and in those that it starts. Returns
 * -ENOMEM if there is no memory for one, or no more are allowed. */
static inline int lod_thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    /* EAGAIN would be taken for a lock of another process */
    return error == EAGAIN ? -ENOMEM : -error;
}

#endif
