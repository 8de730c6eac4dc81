/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of the available memory; see memory_plan.h. */
#include "mount/memory_plan.h"

#include <stdio.h>
#include <string.h>

#include "dataset/dataset.h"
#include "log.h"
#include "memory/available.h"
#include "read/devices.h"
#include "read/reader.h"
#include "bytes.h"
#include "shard/shard_read.h"

#define MIB             (1ull << 20)
#define WORK_BYTES_MIN  (16 * MIB)
#define CACHE_MIN_BYTES (64 * MIB)
/* code and stacks; 6 for loads of prefixes; 24 for the buffer pool */
#define BASE_BYTES   (48 * MIB)
#define FRAME_BYTES  ((uint64_t)1 << LOD_FRAME_SHIFT_MAX)     /* one frame that is not cached */
#define THREAD_BYTES (FRAME_BYTES + LOD_READ_BYTES_MAX + MIB) /* and the answer */
#define RING_BYTES   (THREAD_BYTES + LOD_RING_DEPTH * LOD_READ_BYTES_MAX)

static uint64_t work_bytes(uint64_t available)
{
    uint64_t quarter = available / 4;

    return quarter < WORK_BYTES_MIN ? WORK_BYTES_MIN : lod_least(quarter, LOD_WORK_SIZE_DEFAULT);
}

struct lod_memory_plan lod_memory_plan_make(const struct lod_fuse_options *options,
                                            unsigned ring_threads, uint64_t available)
{
    const bool automatic = options->cache_bytes == LOD_OPTION_AUTO;
    const uint64_t cache = automatic ? lod_available_cache_bytes(available) : options->cache_bytes;
    const bool gpu = strcmp(lod_devices_choices[options->gpu], "off") != 0;

    return (struct lod_memory_plan){
        .available = available,
        .cache = cache,
        .cache_min = automatic ? lod_least(CACHE_MIN_BYTES, cache / 4) : cache,
        .work = work_bytes(available),
        .index_records = LOD_INDEX_CACHE_BYTES + LOD_RECORD_CACHE_BYTES + LOD_SHARD_CACHE_BYTES,
        .threads = options->threads * THREAD_BYTES + ring_threads * RING_BYTES,
        .base = BASE_BYTES,
        .gpu = gpu ? LOD_DEVICES_BYTES_MAX : 0,
    };
}

void lod_memory_plan_log(const struct lod_memory_plan *plan)
{
    const uint64_t all =
        plan->cache + plan->work + plan->index_records + plan->threads + plan->base + plan->gpu;
    char available[64] = "";

    if (plan->available != UINT64_MAX) {
        snprintf(available, sizeof(available), " of %llu that are available",
                 (unsigned long long)(plan->available / MIB));
    }
    lod_log(LOD_LOG_INFO,
            "memory at most %llu MiB%s: cache %llu, work %llu, index and records %llu, threads "
            "%llu, base %llu, buffers of a GPU %llu",
            (unsigned long long)(all / MIB), available, (unsigned long long)(plan->cache / MIB),
            (unsigned long long)(plan->work / MIB), (unsigned long long)(plan->index_records / MIB),
            (unsigned long long)(plan->threads / MIB), (unsigned long long)(plan->base / MIB),
            (unsigned long long)(plan->gpu / MIB));
}
