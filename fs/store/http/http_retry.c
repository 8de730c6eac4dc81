/* SPDX-License-Identifier: Apache-2.0 */
/* See http_retry.h. */
#include "http/http_retry.h"

#include "clock.h"

#define TENTHS_START 200u /* 20 retries */
#define TENTHS_MAX   600u
#define MINUTE_NS    (60 * LOD_SECOND_NS)
#define PAUSE_NS     50000000ull
#define PAUSE_MAX_NS (5 * LOD_SECOND_NS)
#define DOUBLED_MAX  7u /* 50 ms x 2^7 is above 5 s */
#define AFTER_MAX_S  10u
#define UNLIMITED    1000u /* as often as time and budget allow */

void lod_retry_budget_init(struct lod_retry_budget *budget, uint64_t now_ns)
{
    *budget = (struct lod_retry_budget){.tenths = TENTHS_START, .filled_ns = now_ns};
}

void lod_retry_budget_earn(struct lod_retry_budget *budget)
{
    budget->tenths += budget->tenths < TENTHS_MAX;
}

bool lod_retry_budget_take(struct lod_retry_budget *budget, uint64_t now_ns)
{
    if (now_ns - budget->filled_ns >= MINUTE_NS) {
        budget->filled_ns = now_ns;
        budget->tenths = budget->tenths > TENTHS_START ? budget->tenths : TENTHS_START;
    }
    if (budget->tenths < 10) {
        return false;
    }
    budget->tenths -= 10;
    return true;
}

/* By verdict: how often a request is retried. A few retries are for mistakes that another server
 * behind the same name may not make. */
static const unsigned retries[] = {
    [LOD_HTTP_RIGHT] = UNLIMITED,     [LOD_HTTP_BROKEN] = 3,  [LOD_HTTP_BUSY] = UNLIMITED,
    [LOD_HTTP_SLOW_DOWN] = UNLIMITED, [LOD_HTTP_MISSING] = 1, [LOD_HTTP_CHANGED] = 0,
    [LOD_HTTP_EXPIRED] = 1,           [LOD_HTTP_DENIED] = 0,  [LOD_HTTP_MOVED] = 1,
    [LOD_HTTP_NO_RANGES] = 2,         [LOD_HTTP_REFUSED] = 0,
};

unsigned lod_retry_max(enum lod_retry_cause cause, enum lod_http_verdict verdict)
{
    return cause == LOD_RETRY_CERTIFICATE ? 0
           : cause == LOD_RETRY_TRANSPORT ? UNLIMITED
                                          : retries[verdict];
}

uint64_t lod_retry_pause_ns(unsigned tries, uint32_t retry_after_s, uint32_t random)
{
    const uint64_t doubled = PAUSE_NS << (tries < DOUBLED_MAX ? tries : DOUBLED_MAX);
    const uint64_t most = doubled < PAUSE_MAX_NS ? doubled : PAUSE_MAX_NS;
    const uint64_t pause = most / 2 + most / 2 * random / UINT32_MAX;
    const uint64_t retry_after_ns =
        (retry_after_s < AFTER_MAX_S ? retry_after_s : AFTER_MAX_S) * LOD_SECOND_NS;

    return retry_after_ns > pause ? retry_after_ns : pause;
}
