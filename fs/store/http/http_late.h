/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a request without an answer is asked a second time, over another connection. The times to
 * the first byte of the last 256 requests say what is late; of these requests a few may be second
 * ones. Pure: the caller gives the clock.
 */
#ifndef LOD_HTTP_LATE_H
#define LOD_HTTP_LATE_H

#include <stdbool.h>
#include <stdint.h>

#define LOD_LATE_WINDOW 256u /* requests that are remembered */

/* All zero: nothing was seen. */
struct lod_late {
    uint32_t waits_us[LOD_LATE_WINDOW]; /* a ring of times to the first byte */
    bool second[LOD_LATE_WINDOW];       /* a ring: was the request a second one? */
    uint32_t seen, sent;                /* answers and requests since the beginning */
    uint32_t seconds;                   /* how many entries of `second` are true */
    uint64_t after_ns;                  /* the time after which a request is late */
    uint64_t quiet_until_ns;
};

/* Records that a request was sent. */
void lod_late_add_request(struct lod_late *late, bool second);

/* Records how long a request waited for its first byte. */
void lod_late_add_wait(struct lod_late *late, uint64_t wait_ns);

/* Records that the server asked for fewer requests: no second requests are sent for 10 s. */
void lod_late_slow_down(struct lod_late *late, uint64_t now_ns);

/* A request is late if its first byte did not come after this: twice the 95th percentile, 50 ms at
 * least. 0: too few were seen. */
uint64_t lod_late_after_ns(const struct lod_late *late);

/* May one be sent a second time now? Only 2 % of the last 256 requests may be. */
bool lod_late_may_repeat(const struct lod_late *late, uint64_t now_ns);

#endif
