/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals during long work. SIGINT, SIGTERM and SIGHUP stop the work, which polls for them between
 * its steps. SIGUSR1 prints a line of progress. The signals are blocked in the thread that calls
 * init and in all that it starts later. A thread of their own waits for them, so there is no signal
 * handler and no global variable. That thread also draws the progress line, so that the line moves
 * during a step.
 */
#ifndef LOD_CANCEL_H
#define LOD_CANCEL_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

struct lod_progress;

struct lod_cancel {
    sigset_t signals;
    struct lod_progress *progress; /* borrowed; NULL: none */
    pthread_t thread;
    bool watched;      /* the thread runs; else each poll checks for signals itself */
    uint64_t first_ns; /* time of the signal; used by the thread only */
    atomic_int seen;   /* number of the signal received; 0: none */
    atomic_bool ending;
};

/* Starts to take signals. Ignored ones, such as SIGHUP under nohup(1), stay ignored. */
void lod_cancel_init(struct lod_cancel *stop, struct lod_progress *progress);
void lod_cancel_finish(struct lod_cancel *stop);

/*
 * Returns 0, or -EINTR from the first signal on. A second signal, a second later or more, ends the
 * program immediately. May be called from any thread. With NULL it always returns 0.
 */
LOD_MUST_CHECK int lod_cancel_poll(struct lod_cancel *stop);

#endif
