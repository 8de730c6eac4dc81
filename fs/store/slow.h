/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store that answers no faster than it is told to: to share a disk or a line with others, and to
 * rehearse a slow one. Around any other store.
 */
#ifndef LOD_SLOW_H
#define LOD_SLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "store/store.h"

/* 64 KiB/s: a frame of 1 MiB then takes 16 s, and a reader that waits gives up after 30. */
#define LOD_SLOW_RATE_MIN (64u << 10)

struct lod_slow {
    uint64_t bytes_per_second; /* 0: no limit; else LOD_SLOW_RATE_MIN at least */
    uint32_t latency_ms;       /* each request takes this long before its bytes; 0: none */
};

/* Does it slow anything down? */
bool lod_slow_is(const struct lod_slow *slow);

/* Owns `inner` from then on; on error it is still the caller's. */
LOD_MUST_CHECK int lod_slow_create(const struct lod_slow *slow, struct lod_store *inner,
                                   struct lod_store **ret_store);

#endif
