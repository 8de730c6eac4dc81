/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The speed of all loads together: their bytes, over the time in which at least one was in flight.
 * Recent ones weigh more. It has no clock and no lock; its owner passes the time, which is
 * monotonic.
 */
#ifndef LOD_LOAD_RATE_H
#define LOD_LOAD_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

#define LOD_LOAD_RATE_NS (2 * LOD_SECOND_NS) /* beyond this time of loads both sums are halved */

/* All zero: nothing is measured yet. */
struct lod_load_rate {
    uint64_t bytes, ns;
    uint64_t at_ns; /* the last call of lod_load_rate_pass */
};

/* Adds the time since the last call if loads were in flight. */
static inline void lod_load_rate_pass(struct lod_load_rate *rate, uint64_t now_ns, bool loading)
{
    rate->ns += loading ? now_ns - rate->at_ns : 0;
    rate->at_ns = now_ns;
    while (rate->ns > LOD_LOAD_RATE_NS) {
        rate->bytes /= 2;
        rate->ns /= 2;
    }
}

/* Returns bytes a second; 0: not measured yet. */
static inline uint64_t lod_load_rate_now(const struct lod_load_rate *rate)
{
    return rate->ns / 1000 ? rate->bytes * 1000000 / (rate->ns / 1000) : 0;
}

#endif
