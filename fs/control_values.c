/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of counters. Numbers are read one by one while others count: each is right, their sums
 * may be off by what happens in between.
 */
#include "control_values.h"

#include <stdatomic.h>
#include <time.h>

#include "devices.h"

#define NANO 1e9

static double uptime(const struct lod_control *control)
{
    return (double)(time(NULL) - control->facts.began);
}

static double failed_of(const struct lod_reader_stats *stats)
{
    uint64_t failed = 0;

    for (unsigned i = LOD_OUTCOME_OK + 1; i < LOD_OUTCOMES; i++) {
        failed += stats->store_outcomes[i];
    }
    return (double)failed;
}

unsigned lod_control_values(struct lod_control *control, struct lod_value values[LOD_VALUES_MAX])
{
    struct lod_reader_stats r;
    struct lod_devices_stats d;
    unsigned long long switches = atomic_load(&control->switches);

    lod_reader_stats(control->reader, &r);
    lod_devices_stats(lod_reader_devices(control->reader), &d);
    const struct lod_value all[] = {
        {"auto", "switches", "auto_switches_total", "counter",
         "Times auto was led to another fidelity.", (double)switches},
        {"mount", "uptime_seconds", "uptime_seconds", "gauge", "Seconds since the mount began.",
         uptime(control)},
        {"reads", "answered", "reads_total", "counter", "Reads of files answered.",
         (double)r.reads},
        {"reads", "failed", "read_errors_total", "counter", "Reads of files refused.",
         (double)r.reads_failed},
        {"reads", "bytes", NULL, NULL, NULL, (double)r.reads_bytes},
        {"store", "reads", NULL, NULL, NULL, (double)r.store_reads},
        {"store", "failed", NULL, NULL, NULL, failed_of(&r)},
        {"store", "bytes", "backend_bytes_total", "counter", "Bytes read from the store.",
         (double)r.store_bytes},
        {"store", "scattered_reads", "backend_scattered_requests_total", "counter",
         "Of the requests: frames one by one.", (double)r.scattered_reads},
        {"store", "scattered_bytes", "backend_scattered_bytes_total", "counter",
         "Of the bytes: frames one by one.", (double)r.scattered_bytes},
        {"store", "prefix_reads", "backend_prefix_requests_total", "counter",
         "Of the requests: prefixes of records.", (double)r.prefix_reads},
        {"store", "prefix_bytes", "backend_prefix_bytes_total", "counter",
         "Of the bytes: prefixes of records.", (double)r.prefix_bytes},
        {"store", "record_opens", "record_opens_total", "counter", "Records opened.",
         (double)r.record_opens},
        {"store", "latency_seconds", "backend_latency_seconds", "gauge",
         "Of a small request, smoothed; 0: not measured.", (double)r.store_latency_ns / NANO},
        {"store", "bytes_per_second", "backend_bytes_per_second", "gauge",
         "Of a large request, smoothed; 0: not measured.", (double)r.store_bytes_per_second},
        {"store", "bad_frames", "checksum_errors_total", "counter", "Frames whose hash differs.",
         (double)r.frames_bad},
        {"cache", "hits", "cache_hits_total", "counter", "Pieces found in the cache.",
         (double)r.cache_hits},
        {"cache", "misses", "cache_misses_total", "counter", "Pieces that had to be read or made.",
         (double)r.cache_misses},
        {"cache", "evictions", "cache_evictions_total", "counter", "Pieces given up for others.",
         (double)r.cache_evictions},
        {"cache", "bytes", "cache_bytes", "gauge", "Bytes held.", (double)r.cache_bytes},
        {"cache", "bytes_max", "cache_limit_bytes", "gauge", "Bytes it may hold.",
         (double)r.cache_bytes_max},
        {"made", "units", "made_total", "counter", "Pieces computed.", (double)r.made},
        {"gpu", "batches", "gpu_batches_total", "counter", "Jobs of a device.", (double)d.batches},
        {"gpu", "units", "gpu_made_total", "counter", "Pieces computed on a device.",
         (double)d.units},
        {"gpu", "host_bytes_per_second", "gpu_host_bytes_per_second", "gauge",
         "What the host's cores made in the measurement; 0: not measured.",
         (double)d.host_bytes_per_second},
        {"gpu", "device_bytes_per_second", "gpu_device_bytes_per_second", "gauge",
         "What a device made in it; 0: not measured.", (double)d.device_bytes_per_second},
        {"advice", "bytes", NULL, NULL, NULL, (double)r.advice_bytes},
    };
    unsigned count = sizeof(all) / sizeof(all[0]);
    _Static_assert(sizeof(all) <= LOD_VALUES_MAX * sizeof(all[0]), "LOD_VALUES_MAX");

    for (unsigned i = 0; i < count; i++) {
        values[i] = all[i];
    }
    return count;
}
