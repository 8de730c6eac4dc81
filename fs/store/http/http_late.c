/* SPDX-License-Identifier: Apache-2.0 */
/* See http_late.h. */
#include "http/http_late.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define SEEN_MIN    16u
#define EVERY       16u /* the percentile is computed again after this many requests */
#define AFTER_MIN   50000000ull
#define QUIET_NS    (10 * LOD_SECOND_NS)
#define SECONDS_MAX (LOD_LATE_WINDOW / 50) /* 2 % */

static int compare(const void *a, const void *b)
{
    uint32_t left, right;

    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return (left > right) - (left < right);
}

/* Sorts a copy of 1 KiB: some microseconds. */
static uint64_t compute(const struct lod_late *late)
{
    const uint32_t count = late->seen < LOD_LATE_WINDOW ? late->seen : LOD_LATE_WINDOW;
    uint32_t sorted[LOD_LATE_WINDOW];

    memcpy(sorted, late->waits_us, count * sizeof(sorted[0]));
    qsort(sorted, count, sizeof(sorted[0]), compare);
    const uint64_t twice = 2000ull * sorted[count - 1 - count / 20];
    return twice > AFTER_MIN ? twice : AFTER_MIN;
}

void lod_late_add_wait(struct lod_late *late, uint64_t wait_ns)
{
    const uint64_t us = wait_ns / 1000;

    late->waits_us[late->seen % LOD_LATE_WINDOW] = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
    late->seen++;
    if (late->seen >= SEEN_MIN && late->seen % EVERY == 0) {
        late->after_ns = compute(late);
    }
}

void lod_late_add_request(struct lod_late *late, bool second)
{
    bool *at = &late->second[late->sent++ % LOD_LATE_WINDOW];

    late->seconds += second;
    late->seconds -= *at;
    *at = second;
}

void lod_late_slow_down(struct lod_late *late, uint64_t now_ns)
{
    late->quiet_until_ns = now_ns + QUIET_NS;
}

uint64_t lod_late_after_ns(const struct lod_late *late)
{
    return late->after_ns;
}

bool lod_late_may_repeat(const struct lod_late *late, uint64_t now_ns)
{
    return late->after_ns && now_ns >= late->quiet_until_ns && late->seconds < SECONDS_MAX;
}
