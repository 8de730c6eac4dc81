/* SPDX-License-Identifier: Apache-2.0 */
/* Running means with a weight of a quarter for what is new: the store of a minute ago is history.
 */
#include "pace.h"

#include "clock.h"

/* Slower than this is no memory: 11 preads of 10 KB each out of the page cache take 2 us apiece. */
#define MEMORY_REQUEST_NS  8000u
#define MEMORY_BYTES_A_NS  2u
#define RECENT             16u
#define RECENT_MASK        0xffffu
#define LARGE_BYTES        (256u << 10)
#define GAP_BYTES_MAX      (256u << 10)
#define UNKNOWN_LATENCY_NS 1000000u
#define UNKNOWN_BANDWIDTH  100000000u
#define WEIGHT             4u
#define LOAD_BYTES_MIN     (256u << 10)
#define LOAD_BYTES_UNKNOWN (5u << 20)
#define LATENCY_DEAR_NS    (LOD_SECOND_NS / 4) /* nothing large is asked blindly of such a store */

static uint64_t get(const atomic_uint_fast64_t *at, uint64_t unknown)
{
    uint64_t value = atomic_load_explicit(at, memory_order_relaxed);

    return value ? value : unknown;
}

static void blend(atomic_uint_fast64_t *mean, uint64_t sample)
{
    uint64_t old = get(mean, sample);
    uint64_t blended = old - old / WEIGHT + sample / WEIGHT;

    atomic_store_explicit(mean, blended ? blended : 1, memory_order_relaxed);
}

bool lod_pace_is_known(const struct lod_pace *pace)
{
    return atomic_load_explicit(&pace->recent, memory_order_relaxed);
}

bool lod_pace_has_bandwidth(const struct lod_pace *pace)
{
    return get(&pace->bandwidth, 0);
}

/* One request in four that had to be waited for is enough. */
bool lod_pace_is_memory(const struct lod_pace *pace)
{
    unsigned recent = (unsigned)atomic_load_explicit(&pace->recent, memory_order_relaxed);

    return 4u * (unsigned)__builtin_popcount(recent & RECENT_MASK) <= recent >> RECENT;
}

static void measure(struct lod_pace *pace, uint64_t bytes, uint64_t ns)
{
    uint64_t least = ns / 4 + 1; /* one mean may be wrong; the other must not become absurd */

    if (bytes < LARGE_BYTES) {
        uint64_t moving = bytes * LOD_SECOND_NS / get(&pace->bandwidth, UNKNOWN_BANDWIDTH);
        blend(&pace->latency_ns, ns > moving + least ? ns - moving : least);
    } else {
        uint64_t waiting = get(&pace->latency_ns, 0);
        blend(&pace->bandwidth,
              bytes * LOD_SECOND_NS / (ns > waiting + least ? ns - waiting : least));
    }
}

void lod_pace_add(struct lod_pace *pace, uint64_t bytes, uint64_t ns)
{
    uint32_t recent = (uint32_t)atomic_load_explicit(&pace->recent, memory_order_relaxed);
    uint32_t count = recent >> RECENT;
    bool now = ns > MEMORY_REQUEST_NS + bytes / MEMORY_BYTES_A_NS;

    count += count < RECENT;
    recent = (recent << 1 | now) & RECENT_MASK;
    atomic_store_explicit(&pace->recent, count << RECENT | recent, memory_order_relaxed);
    /* A page that happened to be in memory says nothing of a disk, nor a preempted thread of RAM.
     */
    if (now != lod_pace_is_memory(pace)) {
        measure(pace, bytes, ns);
    }
}

bool lod_pace_adopt(struct lod_pace *pace, const struct lod_pace *other)
{
    if (!lod_pace_is_known(other) || lod_pace_is_memory(other)) {
        return false;
    }
    lod_pace_add(pace, 0, lod_pace_ns(other, 1, 0));
    uint64_t bandwidth = get(&other->bandwidth, 0);
    if (bandwidth && bandwidth < LOAD_BYTES_UNKNOWN) { /* the first load would take too long */
        atomic_store_explicit(&pace->bandwidth, bandwidth, memory_order_relaxed);
    }
    return true;
}

uint64_t lod_pace_ns(const struct lod_pace *pace, uint64_t requests, uint64_t bytes)
{
    return requests * get(&pace->latency_ns, UNKNOWN_LATENCY_NS) +
           bytes / 1000 * (LOD_SECOND_NS * 1000 / get(&pace->bandwidth, UNKNOWN_BANDWIDTH));
}

uint64_t lod_pace_load(const struct lod_pace *pace)
{
    bool dear = get(&pace->latency_ns, 0) > LATENCY_DEAR_NS;
    uint64_t bandwidth = get(&pace->bandwidth, dear ? LOAD_BYTES_MIN : LOAD_BYTES_UNKNOWN);

    return bandwidth > LOAD_BYTES_MIN ? bandwidth : LOAD_BYTES_MIN;
}

uint64_t lod_pace_gap(const struct lod_pace *pace)
{
    uint64_t latency = get(&pace->latency_ns, 0);
    uint64_t bytes = latency * (get(&pace->bandwidth, UNKNOWN_BANDWIDTH) / 1000) / 1000000;

    return bytes < GAP_BYTES_MAX ? bytes : GAP_BYTES_MAX;
}
