/* SPDX-License-Identifier: Apache-2.0 */
/* See http_hedge.h. */
#include "http/http_hedge.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define REQUESTS_MIN     16u
#define REFRESH_REQUESTS 16u /* the percentile is computed again after this many requests */
#define DELAY_MIN        50000000ull
#define QUIET_NS         (10 * LOD_SECOND_NS)
#define HEDGES_MAX       (LOD_HEDGE_WINDOW / 50) /* 2 % */

static int compare(const void *a, const void *b)
{
    uint32_t left, right;

    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return (left > right) - (left < right);
}

/* Sorts a copy of 1 KiB: some microseconds. */
static uint64_t compute(const struct lod_hedge *hedge)
{
    const uint32_t count = hedge->seen < LOD_HEDGE_WINDOW ? hedge->seen : LOD_HEDGE_WINDOW;
    uint32_t sorted[LOD_HEDGE_WINDOW];

    memcpy(sorted, hedge->waits_us, count * sizeof(sorted[0]));
    qsort(sorted, count, sizeof(sorted[0]), compare);
    const uint64_t twice = 2000ull * sorted[count - 1 - count / 20];
    return twice > DELAY_MIN ? twice : DELAY_MIN;
}

void lod_hedge_add_wait(struct lod_hedge *hedge, uint64_t wait_ns)
{
    const uint64_t us = wait_ns / 1000;

    hedge->waits_us[hedge->seen % LOD_HEDGE_WINDOW] = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
    hedge->seen++;
    if (hedge->seen >= REQUESTS_MIN && hedge->seen % REFRESH_REQUESTS == 0) {
        hedge->delay_ns = compute(hedge);
    }
}

void lod_hedge_add_request(struct lod_hedge *hedge, bool is_hedge)
{
    bool *at = &hedge->is_hedge[hedge->sent++ % LOD_HEDGE_WINDOW];

    hedge->hedges += is_hedge;
    hedge->hedges -= *at;
    *at = is_hedge;
}

void lod_hedge_slow_down(struct lod_hedge *hedge, uint64_t now_ns)
{
    hedge->quiet_until_ns = now_ns + QUIET_NS;
}

uint64_t lod_hedge_delay_ns(const struct lod_hedge *hedge)
{
    return hedge->delay_ns;
}

bool lod_hedge_may_send(const struct lod_hedge *hedge, uint64_t now_ns)
{
    return hedge->delay_ns && now_ns >= hedge->quiet_until_ns && hedge->hedges < HEDGES_MAX;
}
