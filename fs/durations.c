/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request costs two relaxed additions to a cache line that other processors rarely touch. The
 * thread can move to another processor in between, so the additions are atomic.
 */
#include "durations.h"

#include <sched.h>

#define SECOND_NS 1e9

/* A request served from memory takes a few us, one that waits for a disk some ms. */
static const struct {
    uint64_t ns;
    double seconds;
    const char *text;
} bounds[LOD_DURATION_BOUNDS] = {
    {1000, 1e-6, "1e-06"},    {5000, 5e-6, "5e-06"},    {10000, 1e-5, "1e-05"},
    {50000, 5e-5, "5e-05"},   {100000, 1e-4, "0.0001"}, {500000, 5e-4, "0.0005"},
    {1000000, .001, "0.001"}, {5000000, .005, "0.005"}, {10000000, .01, "0.01"},
    {50000000, .05, "0.05"},  {100000000, .1, "0.1"},   {500000000, .5, "0.5"},
    {1000000000, 1, "1.0"},   {5000000000, 5, "5.0"},
};

const char *lod_duration_bound(unsigned bucket)
{
    return bucket < LOD_DURATION_BOUNDS ? bounds[bucket].text : "+Inf";
}

static unsigned bucket_of(uint64_t ns)
{
    unsigned bucket = 0;

    while (bucket < LOD_DURATION_BOUNDS && ns > bounds[bucket].ns) {
        bucket++;
    }
    return bucket;
}

void lod_durations_init(struct lod_durations *durations)
{
    for (unsigned s = 0; s < LOD_DURATION_SLOTS; s++) {
        for (unsigned k = 0; k < LOD_DURATION_KINDS; k++) {
            atomic_init(&durations->slots[s].ns[k], 0);
            for (unsigned b = 0; b < LOD_DURATION_BUCKETS; b++) {
                atomic_init(&durations->slots[s].counts[k][b], 0);
            }
        }
    }
}

void lod_durations_add(struct lod_durations *durations, unsigned kind, uint64_t ns)
{
    unsigned cpu =
        (unsigned)sched_getcpu(); /* -1, if the kernel lacks the call, still gives a valid slot */
    struct lod_duration_slot *slot = &durations->slots[cpu % LOD_DURATION_SLOTS];

    atomic_fetch_add_explicit(&slot->counts[kind][bucket_of(ns)], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->ns[kind], ns, memory_order_relaxed);
}

void lod_durations_sum(const struct lod_durations *durations, unsigned kind,
                       struct lod_duration_sum *ret_sum)
{
    struct lod_duration_sum sum = {.count = 0};
    uint64_t ns = 0;

    for (unsigned s = 0; s < LOD_DURATION_SLOTS; s++) {
        const struct lod_duration_slot *slot = &durations->slots[s];
        ns += atomic_load_explicit(&slot->ns[kind], memory_order_relaxed);
        for (unsigned b = 0; b < LOD_DURATION_BUCKETS; b++) {
            uint64_t count = atomic_load_explicit(&slot->counts[kind][b], memory_order_relaxed);
            sum.counts[b] += count;
            sum.count += count;
        }
    }
    sum.seconds = (double)ns / SECOND_NS;
    *ret_sum = sum;
}

void lod_duration_sum_add(struct lod_duration_sum *sum, uint64_t ns)
{
    sum->counts[bucket_of(ns)]++;
    sum->count++;
    sum->seconds += (double)ns / SECOND_NS;
}

double lod_duration_within(const struct lod_duration_sum *sum, double share)
{
    uint64_t below = 0;

    for (unsigned b = 0; sum->count && b < LOD_DURATION_BOUNDS; b++) {
        below += sum->counts[b];
        if ((double)below >= share * (double)sum->count) {
            return bounds[b].seconds;
        }
    }
    return sum->count ? bounds[LOD_DURATION_BOUNDS - 1].seconds : 0;
}
