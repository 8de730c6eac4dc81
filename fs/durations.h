/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The durations of requests: a histogram with fixed bounds for each kind. Any thread, no locks:
 * each processor has counters of its own, which are summed on demand.
 */
#ifndef LOD_DURATIONS_H
#define LOD_DURATIONS_H

#include <stdatomic.h>
#include <stdint.h>

#define LOD_DURATION_KINDS  10
#define LOD_DURATION_BOUNDS 14
/* the last one counts durations above all bounds */
#define LOD_DURATION_BUCKETS (LOD_DURATION_BOUNDS + 1)
#define LOD_DURATION_SLOTS   16

/*
 * The counters of one of every LOD_DURATION_SLOTS processors; they share no cache line with others.
 */
struct lod_duration_slot {
    _Alignas(64) atomic_ullong counts[LOD_DURATION_KINDS][LOD_DURATION_BUCKETS];
    atomic_ullong ns[LOD_DURATION_KINDS];
};

struct lod_durations {
    struct lod_duration_slot slots[LOD_DURATION_SLOTS];
};

/* Returns a bound in seconds, ascending, as Prometheus writes it ("1e-05", "0.5", "1.0"). */
const char *lod_duration_bound(unsigned bucket);

void lod_durations_init(struct lod_durations *durations);

void lod_durations_add(struct lod_durations *durations, unsigned kind, uint64_t ns);

/* The sums of one kind; `counts` are not cumulative. */
struct lod_duration_sum {
    uint64_t counts[LOD_DURATION_BUCKETS], count;
    double seconds;
};

void lod_durations_sum(const struct lod_durations *durations, unsigned kind,
                       struct lod_duration_sum *ret_sum);

/* Adds one request to a sum. The caller has its lock. */
void lod_duration_sum_add(struct lod_duration_sum *sum, uint64_t ns);

/* Returns the smallest bound in seconds that `share` (0 .. 1) of the requests did not exceed, or
 * the largest bound if they exceed all. Returns 0 without requests. */
double lod_duration_within(const struct lod_duration_sum *sum, double share);

#endif
