/* SPDX-License-Identifier: Apache-2.0 */
/* See process_limits.h. A limit that cannot be set makes the server slower, not wrong. */
#include "fuse/process_limits.h"

#include <malloc.h>
#include <sys/resource.h>

#define HEAP_STEP_BYTES  (1 << 20)
#define HEAP_BLOCK_BYTES (2 << 20)    /* larger blocks are mapped, */
#define HEAP_PLENTY      (1ull << 30) /* if so much memory is available */

static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/*
 * All threads share one heap: a heap for each thread would grow by an mprotect for each frame read,
 * and would keep memory that other threads freed. The heap also serves the metadata of large
 * records, since new pages cost more time than reading the metadata. Where memory is short, such
 * large blocks are mapped instead: fragmentation of the heap made mounts in a cgroup of 64 MiB run
 * out of memory.
 */
static void set_heap(uint64_t available)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, HEAP_STEP_BYTES);
    if (available >= HEAP_PLENTY) {
        mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES);
        mallopt(M_TRIM_THRESHOLD, 4 * HEAP_BLOCK_BYTES);
    }
}

void lod_process_limits_set(uint64_t available)
{
    raise_file_limit();
    set_heap(available);
}
