/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the store answers: running means of the latency of a small request and the bandwidth of
 * a large one, and whether it lately answered at the speed of memory, so that a second copy of what
 * it gave is not worth much. Lossy under races, which only makes a mean a little older.
 */
#ifndef LOD_PACE_H
#define LOD_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

/* All zero: nothing measured yet. */
struct lod_pace {
    atomic_uint_fast32_t recent;     /* how many of the last 16 requests; a bit each: no memory */
    atomic_uint_fast64_t latency_ns; /* 0: not measured yet */
    atomic_uint_fast64_t bandwidth;  /* bytes a second; 0: not measured yet */
};

/* A request for `bytes` bytes took `ns`. */
void lod_pace_add(struct lod_pace *pace, uint64_t bytes, uint64_t ns);

/* A pace not known yet begins as slow as `other`. False: that is not known either, or memory. */
LOD_MUST_CHECK bool lod_pace_adopt(struct lod_pace *pace, const struct lod_pace *other);

/* Has there been any request? */
bool lod_pace_is_known(const struct lod_pace *pace);

/* Has there been a large one that had to be waited for? */
bool lod_pace_has_bandwidth(const struct lod_pace *pace);

bool lod_pace_is_memory(const struct lod_pace *pace);

/* What `requests` for `bytes` bytes in all will take. */
uint64_t lod_pace_ns(const struct lod_pace *pace, uint64_t requests, uint64_t bytes);

/* Bytes that are read in the time a request more takes: a smaller gap is read over. */
uint64_t lod_pace_gap(const struct lod_pace *pace);

/* What one request should ask for at most, so that nobody waits for more than about a second. */
uint64_t lod_pace_load(const struct lod_pace *pace);

#endif
