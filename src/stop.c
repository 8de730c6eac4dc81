/* SPDX-License-Identifier: Apache-2.0 */
/* Polls for blocked signals; see stop.h. */
#include "stop.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

void lod_stop_init(struct lod_stop *stop)
{
    atomic_init(&stop->seen, 0);
    sigemptyset(&stop->signals);
    sigaddset(&stop->signals, SIGINT);
    sigaddset(&stop->signals, SIGTERM);
    sigaddset(&stop->signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &stop->signals, NULL);
}

int lod_stop_poll(struct lod_stop *stop)
{
    static const struct timespec at_once = {0};

    if (!stop) {
        return 0;
    }
    if (!atomic_load(&stop->seen)) {
        int signal = sigtimedwait(&stop->signals, NULL, &at_once);
        if (signal > 0) {
            atomic_store(&stop->seen, signal);
        }
    }
    return atomic_load(&stop->seen) ? -EINTR : 0;
}
