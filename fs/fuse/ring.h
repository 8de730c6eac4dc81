/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FUSE over io_uring (Linux 6.14, libfuse 3.18): libfuse starts a thread on each processor, which
 * takes the requests of that processor and answers them without a switch to another one. See
 * decision 067. ring_absent.c stands in for ring.c where libfuse is older.
 *
 * The thread that takes a request answers it. After an answer by another thread the kernel would
 * hand the next request to that one, and it may wait in the kernel for the answer to that very
 * request. So links are not cached: no thread could make the kernel forget them after a switch.
 */
#ifndef LOD_RING_H
#define LOD_RING_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
#include <stdbool.h>

#include "compiler.h"
#include "dataset/dataset.h"

/* Returns how many threads serve with io_uring; 0 if this lodfs was built without it. */
unsigned lod_ring_threads(void);

/* Returns whether io_uring pays for this store: one on a local disk, through the page cache. Else,
 * or if this lodfs was built without io_uring, logs a warning. */
bool lod_ring_pays(const struct lod_dataset *dataset);

/* Appends the options with which libfuse uses io_uring. Returns -1 if memory is missing. */
LOD_MUST_CHECK int lod_ring_add_words(char **text);

/* Returns whether io_uring is used, in the callback init: if it is asked for and the kernel offers
 * it. If it does not, logs a warning. A variable of libfuse that asks for it is overridden. */
bool lod_ring_choose(struct fuse_conn_info *conn, bool asked);

#endif
