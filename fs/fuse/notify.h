/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches `auto`: sets the value, makes the kernel forget the links it caches, and then answers
 * the ioctl. So a program that opens a file after that gets the new fidelity.
 *
 * A thread of its own notifies the kernel. The call blocks until any READLINK of the link in flight
 * has been answered. From a thread that answers requests it could deadlock.
 */
#ifndef LOD_NOTIFY_H
#define LOD_NOTIFY_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "compiler.h"
#include "mount/control.h"

struct lod_notify;

/* Starts the thread; call it after the fork. Borrows both. */
LOD_MUST_CHECK int lod_notify_start(struct fuse_session *session, struct lod_control *control,
                                    struct lod_notify **ret_notify);

/* Takes over the request and answers it after the switch. Returns -ENOMEM if it did not take it. */
LOD_MUST_CHECK int lod_notify_switch(struct lod_notify *notify, fuse_req_t req, unsigned fidelity);

/*
 * Ends the thread, after the loop has ended. Completes the requested switches. As long as the
 * thread waits for a request to be answered, answers requests itself.
 */
struct lod_notify *lod_notify_end(struct lod_notify *notify);

#endif
