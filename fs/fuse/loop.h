/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that read requests from the kernel and answer them. */
#ifndef LOD_LOOP_H
#define LOD_LOOP_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "compiler.h"

/*
 * Serves with a thread, and up to `threads` while all are busy, until the mount is gone or SIGHUP,
 * SIGINT or SIGTERM ends the session, unless it is ignored. This thread waits meanwhile; all others
 * of the process must block these signals (thread_start.h). All requests that were read are
 * answered when it returns. Returns 0 or a negative errno.
 */
LOD_MUST_CHECK int lod_loop(struct fuse_session *session, unsigned threads);

/*
 * Waits for one request and answers it. buf->mem is NULL before the first call; the caller frees
 * it. Returns -EINTR after a signal, -ENODEV if the mount is gone, or another error.
 */
LOD_MUST_CHECK int lod_loop_once(struct fuse_session *session, struct fuse_buf *buf);

#endif
