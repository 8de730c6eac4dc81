/* SPDX-License-Identifier: Apache-2.0 */
/* Goes to the background: the parent waits until the child serves or fails, then exits with its
 * result. */
#ifndef LOD_DAEMON_H
#define LOD_DAEMON_H

#include <stdbool.h>

#include "compiler.h"

struct lod_daemon {
    int pipe; /* to the waiting parent; -1: none waits */
};

/*
 * Forks; call it before any thread starts. In the parent, *ret_parent is true and the result is the
 * child's: 0 once it serves, else its error. In the child *ret_parent is false and the result is 0.
 */
LOD_MUST_CHECK int lod_daemon_start(struct lod_daemon *daemon, bool *ret_parent);

/* In the child, once it serves: leaves terminal, session, folder and stderr, and ends the
 * parent. Does nothing in the foreground. */
void lod_daemon_ready(struct lod_daemon *daemon);

/* In the child, if it cannot serve; the reason has been printed. */
void lod_daemon_fail(struct lod_daemon *daemon, int error);

#endif
