/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the speed of a store: moving averages of the latency of small requests and the bandwidth
 * of large ones. It also says whether the store recently answered at the speed of memory, in which
 * case keeping another copy of its bytes is worth little. Races can lose samples, which only makes
 * an average a little older.
 */
#ifndef LOD_IO_ESTIMATE_H
#define LOD_IO_ESTIMATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "compiler.h"

/* All zero: nothing is measured yet. */
struct lod_io_estimate {
    /* One bit for each of the last 16 requests, 1: slow; and their count above. */
    atomic_uint_fast32_t recent;
    atomic_uint_fast64_t latency_ns; /* 0: not measured yet */
    atomic_uint_fast64_t bandwidth;  /* of one request, bytes a second; 0: not measured yet */
    atomic_uint_fast64_t together;   /* of all loads in flight; 0: one at a time */
    unsigned ranges;                 /* parallel ranges of one read; 0: 1 */
};

/* Returns the time of `requests` for `bytes` bytes in all. Requests that are sent in parallel,
 * `ranges` at a time (0: 1), take one latency together. */
static inline uint64_t lod_io_cost_ns(uint64_t requests, unsigned ranges, uint64_t latency_ns,
                                      uint64_t bytes, uint64_t bandwidth)
{
    const uint64_t at_once = ranges ? ranges : 1;

    return (requests + at_once - 1) / at_once * latency_ns +
           bytes / 1000 * (LOD_SECOND_NS * 1000 / bandwidth);
}

/* Returns whether a request of `bytes` bytes in `ns` has the speed of memory. */
bool lod_io_estimate_is_fast(uint64_t bytes, uint64_t ns);

/* Adds a request for `bytes` bytes that took `ns`. */
void lod_io_estimate_add(struct lod_io_estimate *estimate, uint64_t bytes, uint64_t ns);

/* The same, with the time of the first byte; 0: unknown. */
void lod_io_estimate_add_timed(struct lod_io_estimate *estimate, uint64_t bytes,
                               uint64_t first_byte_ns, uint64_t ns);

/* Initialises an empty estimate from `other`. Returns false if `other` is empty too, or has the
 * speed of memory. */
LOD_MUST_CHECK bool lod_io_estimate_adopt(struct lod_io_estimate *estimate,
                                          const struct lod_io_estimate *other);

/* Sets the bytes a second of all loads together, where several are in flight. */
void lod_io_estimate_set_together(struct lod_io_estimate *estimate, uint64_t bandwidth);

/* Returns whether there was any request. */
bool lod_io_estimate_is_known(const struct lod_io_estimate *estimate);

/* Returns whether there was a large request that was slow. */
bool lod_io_estimate_has_bandwidth(const struct lod_io_estimate *estimate);

bool lod_io_estimate_is_memory(const struct lod_io_estimate *estimate);

/* Return the averages, or those of a usual disk before the first measurement. */
uint64_t lod_io_estimate_latency(const struct lod_io_estimate *estimate);   /* ns */
uint64_t lod_io_estimate_bandwidth(const struct lod_io_estimate *estimate); /* bytes a second; of
                                                                               all loads together */

/* Returns the expected time of `requests` for `bytes` bytes in all. */
uint64_t lod_io_estimate_ns(const struct lod_io_estimate *estimate, uint64_t requests,
                            uint64_t bytes);

/* Returns how many bytes are read in the time of one more request. A smaller gap is read instead of
 * skipped. */
uint64_t lod_io_estimate_gap(const struct lod_io_estimate *estimate);

/* Returns the largest reasonable request: its readers wait about a second. */
uint64_t lod_io_estimate_load(const struct lod_io_estimate *estimate);

#endif
