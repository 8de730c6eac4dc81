/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hedged requests (Dean and Barroso, "The Tail at Scale", 2013): decides when a request whose
 * answer is late is sent a second time over another connection. That second request is the hedge.
 * The times to the first byte of the last 256 requests decide what is late. Pure: the caller passes
 * the time.
 */
#ifndef LOD_HTTP_HEDGE_H
#define LOD_HTTP_HEDGE_H

#include <stdbool.h>
#include <stdint.h>

#define LOD_HEDGE_WINDOW 256u /* requests that are remembered */

/* All zero: nothing was seen. */
struct lod_hedge {
    uint32_t waits_us[LOD_HEDGE_WINDOW]; /* a ring of times to the first byte */
    bool is_hedge[LOD_HEDGE_WINDOW];     /* a ring: whether each request was a hedge */
    uint32_t seen, sent;                 /* answers and requests since the beginning */
    uint32_t hedges;                     /* number of hedges in the ring */
    uint64_t delay_ns;                   /* a request without an answer for this time is late */
    uint64_t quiet_until_ns;             /* no hedges before this time */
};

/* Records that a request was sent. */
void lod_hedge_add_request(struct lod_hedge *hedge, bool is_hedge);

/* Records how long a request waited for its first byte. */
void lod_hedge_add_wait(struct lod_hedge *hedge, uint64_t wait_ns);

/* Records that the server asked for fewer requests: no hedges are sent for 10 s. */
void lod_hedge_slow_down(struct lod_hedge *hedge, uint64_t now_ns);

/* Returns how long to wait for the first byte of a request before it counts as late: twice the 95th
 * percentile, 50 ms at least. Returns 0 if too few answers were measured. */
uint64_t lod_hedge_delay_ns(const struct lod_hedge *hedge);

/* Returns whether a hedge may be sent now. At most 2 % of the last 256 requests are hedges. */
bool lod_hedge_may_send(const struct lod_hedge *hedge, uint64_t now_ns);

#endif
