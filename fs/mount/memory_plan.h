/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a mount: the limit of each part, from the options and the memory that is available
 * when the mount starts. A pure function; nothing is allocated or measured here.
 */
#ifndef LOD_MEMORY_PLAN_H
#define LOD_MEMORY_PLAN_H

#include <stdint.h>

#include "mount/options.h"

/* Requests that the kernel copies to a thread of io_uring at one time. The thread serves one while
 * the next one arrives; 4 and 8 are not faster. */
#define LOD_RING_DEPTH 2u

/* All in bytes. */
struct lod_memory_plan {
    uint64_t available;     /* UINT64_MAX: unknown */
    uint64_t cache;         /* frames and made units that are kept */
    uint64_t cache_min;     /* the cache never shrinks below this under memory pressure */
    uint64_t work;          /* limit of all makers at work, and of units too large for the cache */
    uint64_t index_records; /* blocks of the index, open records, directories of framed files */
    uint64_t threads;       /* requests in progress */
    uint64_t base;          /* code, stacks, buffers of loads */
    uint64_t gpu;           /* buffers for a device */
};

/*
 * An automatic cache_size is a quarter of `available`, but at least 256 MiB if that leaves 256 MiB.
 * The makers get a quarter too, between 16 and 256 MiB. `ring_threads`: of io_uring, if it is used.
 */
struct lod_memory_plan lod_memory_plan_make(const struct lod_fuse_options *options,
                                            unsigned ring_threads, uint64_t available);

/* Logs the sum and its parts on one line. */
void lod_memory_plan_log(const struct lod_memory_plan *plan);

#endif
