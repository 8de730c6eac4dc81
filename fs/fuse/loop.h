/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that read requests from the kernel and answer them. */
#ifndef LOD_LOOP_H
#define LOD_LOOP_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "compiler.h"

/*
 * Serves with this thread, and up to `threads` - 1 more while all are busy, until the mount is gone
 * or a signal ends the session. All requests that were read are answered when it returns. Returns 0
 * or a negative errno.
 */
LOD_MUST_CHECK int lod_loop(struct fuse_session *session, unsigned threads);

/*
 * Waits for one request and answers it. buf->mem is NULL before the first call; the caller frees
 * it. Returns -EINTR after a signal, -ENODEV if the mount is gone, or another error.
 */
LOD_MUST_CHECK int lod_loop_once(struct fuse_session *session, struct fuse_buf *buf);

#endif
