/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long requests took: a histogram a kind of request, with fixed bounds. Any thread, no locks:
 * each processor adds to counters of its own, which are summed when somebody asks.
 */
#ifndef LOD_DURATIONS_H
#define LOD_DURATIONS_H

#include <stdatomic.h>
#include <stdint.h>

#define LOD_DURATION_KINDS   10
#define LOD_DURATION_BOUNDS  14
#define LOD_DURATION_BUCKETS (LOD_DURATION_BOUNDS + 1) /* the last one: longer than all bounds */
#define LOD_DURATION_SLOTS   16

/* What the threads of one processor in LOD_DURATION_SLOTS counted; a cache line is never shared. */
struct lod_duration_slot {
    _Alignas(64) atomic_ullong counts[LOD_DURATION_KINDS][LOD_DURATION_BUCKETS];
    atomic_ullong ns[LOD_DURATION_KINDS];
};

struct lod_durations {
    struct lod_duration_slot slots[LOD_DURATION_SLOTS];
};

/* A bound in seconds, ascending, as Prometheus writes it ("1e-05", "0.5", "1.0"). */
const char *lod_duration_bound(unsigned bucket);

void lod_durations_init(struct lod_durations *durations);

void lod_durations_add(struct lod_durations *durations, unsigned kind, uint64_t ns);

/* Of one kind: `counts` are not cumulative. */
struct lod_duration_sum {
    uint64_t counts[LOD_DURATION_BUCKETS], count;
    double seconds;
};

void lod_durations_sum(const struct lod_durations *durations, unsigned kind,
                       struct lod_duration_sum *ret_sum);

/* The least bound in seconds that `share` (0 .. 1) of the requests kept; the largest bound for
 * what is above all. 0: there were none. */
double lod_duration_within(const struct lod_duration_sum *sum, double share);

#endif
