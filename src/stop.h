/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP as a question that long work asks between its steps. The signals are
 * blocked in the thread that calls init and in those it starts later, so no handler and no global.
 */
#ifndef LOD_STOP_H
#define LOD_STOP_H

#include <signal.h>
#include <stdatomic.h>

#include "compiler.h"

struct lod_stop {
    sigset_t signals;
    atomic_int seen; /* number of the signal that came, 0: none */
};

void lod_stop_init(struct lod_stop *stop);

/* 0, or -EINTR once one of the signals came, for ever. Any thread; NULL never stops. */
LOD_MUST_CHECK int lod_stop_poll(struct lod_stop *stop);

#endif
