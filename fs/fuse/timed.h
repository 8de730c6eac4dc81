/* SPDX-License-Identifier: Apache-2.0 */
/* The callbacks of ops.h with a clock around each. */
#ifndef LOD_TIMED_H
#define LOD_TIMED_H

#include "fuse/ops.h"

/*
 * lod_fuse_ops, and how long each took in the control's durations: from when a thread has taken the
 * request to when it has answered. A switch of `auto` is answered by another thread, and its time
 * ends when it was handed over.
 */
extern const struct fuse_lowlevel_ops lod_timed_ops;

#endif
