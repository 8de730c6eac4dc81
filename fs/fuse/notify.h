/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches of `auto`: the value set, the kernel told to forget the links it keeps, and only then
 * the one who asked answered, so that whoever opens after that sees the new fidelity.
 *
 * The telling has a thread of its own. It waits in the kernel for a link that is being read, so it
 * must be no thread that answers such reads: from one, a server with one thread hangs for ever.
 */
#ifndef LOD_NOTIFY_H
#define LOD_NOTIFY_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
#include <stdbool.h>

#include "compiler.h"
#include "control.h"

struct lod_notify;

/* Starts the thread: after the fork. Borrows both. */
LOD_MUST_CHECK int lod_notify_start(struct fuse_session *session, struct lod_control *control,
                                    struct lod_notify **ret_notify);

/* Takes over the request: answers it when all is done. -ENOMEM: not taken. */
LOD_MUST_CHECK int lod_notify_switch(struct lod_notify *notify, fuse_req_t req, unsigned fidelity);

/*
 * The loop has ended and nobody takes requests. Does what was asked for, answering requests itself
 * as long as the thread waits for one; ends the thread.
 */
struct lod_notify *lod_notify_end(struct lod_notify *notify);

#endif
