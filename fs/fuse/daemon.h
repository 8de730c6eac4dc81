/* SPDX-License-Identifier: Apache-2.0 */
/* Going to the background: the parent waits for its child's word, then ends with it. */
#ifndef LOD_DAEMON_H
#define LOD_DAEMON_H

#include <stdbool.h>

#include "compiler.h"

struct lod_daemon {
    int pipe; /* to the waiting parent; -1: nobody waits */
};

/*
 * Forks; to be called before any thread starts. In the parent, *ret_parent is true and the result
 * is the child's: 0 once it serves, else its error. In the child it is false and the result 0.
 */
LOD_MUST_CHECK int lod_daemon_start(struct lod_daemon *daemon, bool *ret_parent);

/* In the child: it serves. Leaves terminal, session and folder, logs to syslog, ends the parent. */
void lod_daemon_ready(struct lod_daemon *daemon);

/* In the child: it could not serve; the reason is printed already. */
void lod_daemon_fail(struct lod_daemon *daemon, int error);

#endif
