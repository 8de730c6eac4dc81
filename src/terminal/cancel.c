/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waits for blocked signals; see cancel.h. */
#include "terminal/cancel.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "terminal/cmd.h"
#include "terminal/progress.h"

#define TICK_NS   100000000l    /* the progress line is drawn ten times a second */
#define SECOND_NS 1000000000ull /* a terminal and a script may both forward the same Ctrl-C */

static void take(struct lod_cancel *stop, int number)
{
    if (number == SIGUSR1) {
        if (stop->progress && !atomic_load(&stop->ending)) {
            lod_progress_print(stop->progress);
        }
    } else if (!atomic_load(&stop->seen)) {
        stop->first_ns = lod_clock_ns();
        atomic_store(&stop->seen, number);
    } else if (lod_clock_ns() - stop->first_ns >= SECOND_NS) {
        if (stop->progress) {
            lod_progress_clear(stop->progress);
        }
        lod_fail(0, "ended at once by a second signal");
        _exit(LOD_EXIT_INTERRUPTED);
    }
}

/* Takes all signals that are pending. */
static void take_all(struct lod_cancel *stop)
{
    static const struct timespec at_once = {0};
    int number;

    while ((number = sigtimedwait(&stop->signals, NULL, &at_once)) > 0) {
        take(stop, number);
    }
}

static void *watch(void *arg)
{
    const struct timespec tick = {.tv_nsec = TICK_NS};
    struct lod_cancel *stop = arg;

    while (!atomic_load(&stop->ending)) {
        int number = sigtimedwait(&stop->signals, NULL, &tick);
        if (number > 0) {
            take(stop, number);
        }
        if (stop->progress && !atomic_load(&stop->ending)) {
            lod_progress_tick(stop->progress, lod_clock_ns());
        }
    }
    return NULL;
}

static bool is_ignored(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void lod_cancel_init(struct lod_cancel *stop, struct lod_progress *progress)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};

    *stop = (struct lod_cancel){.progress = progress};
    atomic_init(&stop->seen, 0);
    atomic_init(&stop->ending, false);
    sigemptyset(&stop->signals);
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (!is_ignored(numbers[i])) {
            sigaddset(&stop->signals, numbers[i]);
        }
    }
    pthread_sigmask(SIG_BLOCK, &stop->signals, NULL);
    take_all(stop);
    stop->watched = pthread_create(&stop->thread, NULL, watch, stop) == 0;
}

void lod_cancel_finish(struct lod_cancel *stop)
{
    atomic_store(&stop->ending, true);
    if (stop->watched) {
        pthread_kill(stop->thread, SIGUSR1); /* wakes the thread before its next tick */
        pthread_join(stop->thread, NULL);
    }
}

int lod_cancel_poll(struct lod_cancel *stop)
{
    if (!stop) {
        return 0;
    }
    if (!stop->watched) {
        take_all(stop);
    }
    return atomic_load(&stop->seen) ? -EINTR : 0;
}
