/* SPDX-License-Identifier: Apache-2.0 */
/* The callbacks of ops.h, counted and timed. */
#ifndef LOD_OP_WRAP_H
#define LOD_OP_WRAP_H

#include "fuse/ops.h"

/*
 * lod_fuse_ops with counters of the requests and their durations, from the moment a thread has read
 * the request until it has answered. A switch of `auto` is answered by another thread, so its
 * duration ends at the handover.
 */
extern const struct fuse_lowlevel_ops lod_wrapped_ops;

#endif
