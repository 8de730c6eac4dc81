/* SPDX-License-Identifier: Apache-2.0 */
/* Moving averages in which a new sample has a weight of a quarter, so that older speeds are
 * forgotten. */
#include "backend/io_estimate.h"

#include "clock.h"

/* A slower request is not served from memory: 11 preads of 10 KB from the page cache take 2 us
 * each. */
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
#define LATENCY_DEAR_NS    (LOD_SECOND_NS / 4) /* the first load of such a store is small */

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

bool lod_io_estimate_is_known(const struct lod_io_estimate *estimate)
{
    return atomic_load_explicit(&estimate->recent, memory_order_relaxed);
}

bool lod_io_estimate_has_bandwidth(const struct lod_io_estimate *estimate)
{
    return get(&estimate->bandwidth, 0);
}

/* Returns false if more than a quarter of the recent requests were slow. */
bool lod_io_estimate_is_memory(const struct lod_io_estimate *estimate)
{
    unsigned recent = (unsigned)atomic_load_explicit(&estimate->recent, memory_order_relaxed);

    return 4u * (unsigned)__builtin_popcount(recent & RECENT_MASK) <= recent >> RECENT;
}

/* The store reports when the first byte came, so latency and bandwidth are measured separately. */
static void measure_timed(struct lod_io_estimate *estimate, uint64_t bytes, uint64_t first_byte_ns,
                          uint64_t ns)
{
    blend(&estimate->latency_ns, first_byte_ns);
    if (bytes >= LARGE_BYTES && ns > first_byte_ns) {
        blend(&estimate->bandwidth, bytes * LOD_SECOND_NS / (ns - first_byte_ns));
    }
}

static void measure(struct lod_io_estimate *estimate, uint64_t bytes, uint64_t ns)
{
    uint64_t least =
        ns / 4 + 1; /* a lower bound: if one average is wrong, the other must not become absurd */

    if (bytes < LARGE_BYTES) {
        uint64_t moving = bytes * LOD_SECOND_NS / get(&estimate->bandwidth, UNKNOWN_BANDWIDTH);
        blend(&estimate->latency_ns, ns > moving + least ? ns - moving : least);
    } else {
        uint64_t waiting = get(&estimate->latency_ns, 0);
        blend(&estimate->bandwidth,
              bytes * LOD_SECOND_NS / (ns > waiting + least ? ns - waiting : least));
    }
}

bool lod_io_estimate_is_fast(uint64_t bytes, uint64_t ns)
{
    return ns <= MEMORY_REQUEST_NS + bytes / MEMORY_BYTES_A_NS;
}

void lod_io_estimate_add(struct lod_io_estimate *estimate, uint64_t bytes, uint64_t ns)
{
    lod_io_estimate_add_timed(estimate, bytes, 0, ns);
}

void lod_io_estimate_add_timed(struct lod_io_estimate *estimate, uint64_t bytes,
                               uint64_t first_byte_ns, uint64_t ns)
{
    uint32_t recent = (uint32_t)atomic_load_explicit(&estimate->recent, memory_order_relaxed);
    uint32_t count = recent >> RECENT;
    bool now = !lod_io_estimate_is_fast(bytes, ns);

    count += count < RECENT;
    recent = (recent << 1 | now) & RECENT_MASK;
    atomic_store_explicit(&estimate->recent, count << RECENT | recent, memory_order_relaxed);
    /* If the store is slow, a fast request came from memory by chance. If it is fast, a slow
     * request means that this thread was preempted. Neither is measured. */
    if (now == lod_io_estimate_is_memory(estimate)) {
        return;
    }
    if (first_byte_ns) {
        measure_timed(estimate, bytes, first_byte_ns, ns);
    } else {
        measure(estimate, bytes, ns);
    }
}

bool lod_io_estimate_adopt(struct lod_io_estimate *estimate, const struct lod_io_estimate *other)
{
    if (!lod_io_estimate_is_known(other) || lod_io_estimate_is_memory(other)) {
        return false;
    }
    lod_io_estimate_add(estimate, 0, lod_io_estimate_ns(other, 1, 0));
    uint64_t bandwidth = get(&other->bandwidth, 0);
    /* With a larger first load readers would wait too long. */
    if (bandwidth && bandwidth < LOAD_BYTES_UNKNOWN) {
        atomic_store_explicit(&estimate->bandwidth, bandwidth, memory_order_relaxed);
    }
    return true;
}

uint64_t lod_io_estimate_latency(const struct lod_io_estimate *estimate)
{
    return get(&estimate->latency_ns, UNKNOWN_LATENCY_NS);
}

void lod_io_estimate_set_together(struct lod_io_estimate *estimate, uint64_t bandwidth)
{
    atomic_store_explicit(&estimate->together, bandwidth, memory_order_relaxed);
}

uint64_t lod_io_estimate_bandwidth(const struct lod_io_estimate *estimate)
{
    const uint64_t one = get(&estimate->bandwidth, UNKNOWN_BANDWIDTH);
    const uint64_t all = get(&estimate->together, 0);

    return all > one ? all : one;
}

uint64_t lod_io_estimate_ns(const struct lod_io_estimate *estimate, uint64_t requests,
                            uint64_t bytes)
{
    return lod_io_cost_ns(requests, estimate->ranges, lod_io_estimate_latency(estimate), bytes,
                          lod_io_estimate_bandwidth(estimate));
}

uint64_t lod_io_estimate_load(const struct lod_io_estimate *estimate)
{
    bool dear = get(&estimate->latency_ns, 0) > LATENCY_DEAR_NS;
    uint64_t bandwidth = get(&estimate->bandwidth, dear ? LOAD_BYTES_MIN : LOAD_BYTES_UNKNOWN);

    return bandwidth > LOAD_BYTES_MIN ? bandwidth : LOAD_BYTES_MIN;
}

uint64_t lod_io_estimate_gap(const struct lod_io_estimate *estimate)
{
    uint64_t latency = get(&estimate->latency_ns, 0);
    uint64_t bytes = latency * (get(&estimate->bandwidth, UNKNOWN_BANDWIDTH) / 1000) / 1000000;

    return bytes < GAP_BYTES_MAX ? bytes : GAP_BYTES_MAX;
}
