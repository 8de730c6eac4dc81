/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shrinks the cache while memory is short. A thread waits for the kernel's pressure stall
 * information (PSI). If that is missing, or a control group limits this process, it polls the
 * available memory once a second. It knows only the limit of the cache.
 */
#ifndef LOD_PRESSURE_H
#define LOD_PRESSURE_H

#include <stdint.h>

#include "compiler.h"

struct lod_pressure;

/* Sets the limit of the cache to `bytes` now. */
typedef void (*lod_pressure_set)(void *ctx, uint64_t bytes);

/*
 * Starts the thread; call it after the fork. `bytes_max` is the limit without pressure. Under
 * pressure the limit is halved, down to `bytes_min`; after a quiet minute it is doubled again.
 */
LOD_MUST_CHECK int lod_pressure_start(uint64_t bytes_min, uint64_t bytes_max, lod_pressure_set set,
                                      void *ctx, struct lod_pressure **ret_pressure);

/* Ends the thread. Accepts NULL, returns NULL. */
struct lod_pressure *lod_pressure_end(struct lod_pressure *pressure);

/* Returns the next limit after one check; public for tests. `stalled`: there is pressure;
 * `quiet_s`: seconds without it. */
uint64_t lod_pressure_next(uint64_t bytes_min, uint64_t bytes_max, uint64_t bytes_now, int stalled,
                           unsigned quiet_s);

#endif
