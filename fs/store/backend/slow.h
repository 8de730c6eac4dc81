/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wrapper that limits the speed of any store, to share a disk or a network with others, and to
 * simulate a slow one.
 */
#ifndef LOD_SLOW_H
#define LOD_SLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "backend/store.h"

/* 64 KiB/s: a frame of 1 MiB then takes 16 s, less than the 30 s that a reader waits. */
#define LOD_SLOW_RATE_MIN     (64u << 10)
#define LOD_SLOW_REQUESTS_MAX 1000000u
#define LOD_SLOW_PARALLEL_MAX 64u

struct lod_slow {
    uint64_t bytes_per_second;    /* 0: no limit; else LOD_SLOW_RATE_MIN at least */
    uint32_t latency_ms;          /* delay of each request; 0: none */
    uint32_t requests_per_second; /* 0: no limit */
    uint32_t parallel;            /* requests that are delayed at one time; 0: 1 */
};

/* Returns whether it limits anything. */
bool lod_slow_is(const struct lod_slow *slow);

/* Takes ownership of `inner`, except on error. */
LOD_MUST_CHECK int lod_slow_create(const struct lod_slow *slow, struct lod_store *inner,
                                   struct lod_store **ret_store);

#endif
