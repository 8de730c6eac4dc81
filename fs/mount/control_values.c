/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of counters. They are read one by one while other threads count. So each is right, but
 * sums can be off by recent events.
 */
#include "mount/control_values.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "clock.h"

#define NANO 1e9

#define STATE_BYTES  9  /* "measuring" */
#define ADVICE_BYTES 10 /* "cache_size" */
#define TIER_BYTES   8  /* "counting" */

static double uptime(const struct lod_control *control)
{
    return (double)((lod_clock_ns() - control->facts.began_ns) / LOD_SECOND_NS);
}

static double failed_of(const struct lod_reader_stats *stats)
{
    uint64_t failed = 0;

    for (unsigned i = LOD_OUTCOME_OK + 1; i < LOD_OUTCOMES; i++) {
        failed += stats->store_outcomes[i];
    }
    return (double)failed;
}

#define NUMBER(part_, key_, value_)                                                                \
    {                                                                                              \
        .part = part_, .key = key_, .value = (double)(value_)                                      \
    }

#define METRIC(type_, part_, key_, metric_, value_, help_)                                         \
    {                                                                                              \
        .part = part_, .key = key_, .metric = metric_, .type = type_, .help = help_,               \
        .value = (double)(value_)                                                                  \
    }

/* A row with a text of at most `longest` bytes. */
#define TEXT(part_, key_, text_, longest)                                                          \
    {                                                                                              \
        .part = part_, .key = key_, .text = text_, .text_bytes = longest                           \
    }

static void append(struct lod_values *values, const struct lod_value *more, unsigned count)
{
    assert(values->count + count <= LOD_VALUES_MAX);
    memcpy(values->at + values->count, more, count * sizeof(*more));
    values->count += count;
}

/* Appends the rows about loads of prefixes. */
static void add_loads(struct lod_values *values, const struct lod_reader_stats *r)
{
    const struct lod_value all[] = {
        METRIC("gauge", "ahead", "lists", "ahead_lists", r->ahead_lists,
               "Jobs with a list of the records that they will read."),
        METRIC("gauge", "ahead", "records", "ahead_records", r->ahead_records,
               "Records in their lists."),
        METRIC("gauge", "ahead", "ready", "ahead_ready_records", r->ahead_ready,
               "Listed records that are in memory or in the tier."),
        METRIC("gauge", "ahead", "pinned_bytes", "ahead_pinned_bytes", r->ahead_pinned_bytes,
               "Bytes of the cache that are kept for listed records."),
        METRIC("counter", "ahead", "reads_outside", "reads_outside_lists_total", r->ahead_outside,
               "Reads that went to the store for records in no list, while a job had one."),
        NUMBER("ahead", "reader_load_bytes", r->load_bytes[LOD_READ_DEMAND]),
        NUMBER("ahead", "ahead_load_bytes", r->load_bytes[LOD_READ_AHEAD]),
        METRIC("gauge", "loads", "in_flight", "backend_loads", r->loads,
               "Loads of prefixes in flight."),
        METRIC("gauge", "loads", "window_bytes", "backend_window_bytes", r->loads_window_bytes,
               "Bytes that large loads may have in flight; the mount adjusts it."),
        NUMBER("loads", "waits", r->load_waits.count),
        NUMBER("loads", "wait_seconds", r->load_waits.seconds),
        TEXT("advice", "name", lod_advice_name(r->advice), ADVICE_BYTES),
        NUMBER("advice", "bytes", r->advice_bytes),
    };
    append(values, all, sizeof(all) / sizeof(all[0]));
}

/* Appends the rows about the tier. */
static void add_tier(struct lod_values *values, const struct lod_tier_stats *t)
{
    const struct lod_value all[] = {
        TEXT("tier", "name", lod_tier_state_name(t->state), TIER_BYTES),
        METRIC("gauge", "tier", "state", "tier_state", t->state,
               "0: no tier, 1: its files are added up, 2: it is filled, 3: it is full, 4: its disk "
               "is full, 5: its disk is bad and left alone."),
        METRIC("gauge", "tier", "bytes", "tier_bytes", t->bytes,
               "Bytes of the tier, of all mounts that use it."),
        METRIC("gauge", "tier", "bytes_max", "tier_limit_bytes", t->bytes_max,
               "Limit of these bytes."),
        METRIC("counter", "tier", "hits", "tier_hits_total", t->hits,
               "Reads that came from the tier."),
        METRIC("counter", "tier", "misses", "tier_misses_total", t->misses,
               "Reads for which the store was asked."),
        METRIC("counter", "tier", "read_bytes", "tier_read_bytes_total", t->read_bytes,
               "Bytes read from the tier."),
        METRIC("counter", "tier", "written_bytes", "tier_written_bytes_total", t->written_bytes,
               "Bytes written to the tier."),
        METRIC("counter", "tier", "evicted_bytes", "tier_evicted_bytes_total", t->evicted_bytes,
               "Bytes of the tier given up for records that jobs have listed."),
        METRIC("counter", "tier", "errors", "tier_errors_total", t->errors,
               "Errors of the tier's disk, and bytes with a wrong hash."),
    };
    append(values, all, sizeof(all) / sizeof(all[0]));
}

/* Appends the rows about requests to a server, and the tier. */
static void add_server(struct lod_values *values, const struct lod_control *control)
{
    struct lod_store_stats s;

    lod_store_stats(lod_dataset_store(control->dataset), &s);
    const struct lod_value all[] = {
        METRIC("counter", "server", "retries", "backend_retries_total", s.retries,
               "Requests to a server that were sent again after a failure."),
        METRIC("counter", "server", "hedges", "backend_hedges_total", s.hedges,
               "Requests to a server that were sent twice, since the first was late."),
        METRIC("counter", "server", "connects", "backend_connects_total", s.connects,
               "Connections to a server that were opened."),
        METRIC("gauge", "server", "first_byte_seconds", "backend_first_byte_seconds",
               (double)s.first_byte_ns / NANO,
               "Time from a request to a server to its first byte, smoothed; 0: not measured."),
    };
    append(values, all, sizeof(all) / sizeof(all[0]));
    add_tier(values, &s.tier);
}

void lod_control_values(struct lod_control *control, struct lod_values *ret_values)
{
    struct lod_reader_stats r;
    const struct lod_devices_stats *d = &ret_values->devices;
    unsigned long long switches = atomic_load(&control->switches);

    lod_reader_stats(control->reader, &r);
    lod_devices_stats(lod_reader_devices(control->reader), &ret_values->devices);
    const struct lod_value all[] = {
        TEXT("auto", "fidelity", lod_fidelity_name(lod_control_auto(control)), LOD_AUTO_BYTES),
        METRIC("counter", "auto", "switches", "auto_switches_total", switches,
               "Switches of auto to another fidelity."),
        METRIC("gauge", "mount", "uptime_seconds", "uptime_seconds", uptime(control),
               "Seconds since the mount began."),
        METRIC("counter", "reads", "answered", "reads_total", r.reads,
               "Reads of files that succeeded."),
        METRIC("counter", "reads", "failed", "read_errors_total", r.reads_failed,
               "Reads of files that failed."),
        NUMBER("reads", "bytes", r.reads_bytes),
        NUMBER("store", "reads", r.store_reads),
        NUMBER("store", "failed", failed_of(&r)),
        METRIC("counter", "store", "bytes", "backend_bytes_total", r.store_bytes,
               "Bytes read from the store."),
        METRIC("counter", "store", "scattered_reads", "backend_scattered_requests_total",
               r.scattered_reads, "Requests for single frames."),
        METRIC("counter", "store", "scattered_bytes", "backend_scattered_bytes_total",
               r.scattered_bytes, "Bytes read as single frames."),
        METRIC("counter", "store", "prefix_reads", "backend_prefix_requests_total", r.prefix_reads,
               "Requests for prefixes of records."),
        METRIC("counter", "store", "prefix_bytes", "backend_prefix_bytes_total", r.prefix_bytes,
               "Bytes read as prefixes of records."),
        METRIC("counter", "store", "record_opens", "record_opens_total", r.record_opens,
               "Records opened."),
        METRIC("gauge", "store", "latency_seconds", "backend_latency_seconds",
               (double)r.store_latency_ns / NANO,
               "Latency of small requests, smoothed; 0: not measured."),
        METRIC("gauge", "store", "bytes_per_second", "backend_bytes_per_second",
               r.store_bytes_per_second, "Bandwidth of large requests, smoothed; 0: not measured."),
        METRIC("counter", "store", "bad_frames", "checksum_errors_total", r.frames_bad,
               "Frames with a wrong hash."),
        METRIC("counter", "cache", "hits", "cache_hits_total", r.cache_hits,
               "Lookups of frames or made units served from the cache."),
        METRIC("counter", "cache", "misses", "cache_misses_total", r.cache_misses,
               "Lookups of frames or made units that had to read or make some."),
        METRIC("counter", "cache", "evictions", "cache_evictions_total", r.cache_evictions,
               "Frames and made units evicted from the cache."),
        METRIC("gauge", "cache", "bytes", "cache_bytes", r.cache_bytes, "Bytes in the cache."),
        METRIC("gauge", "cache", "bytes_max", "cache_limit_bytes", r.cache_bytes_max,
               "Limit of the cache."),
        METRIC("counter", "made", "units", "made_total", r.made, "Units made by codecs."),
        TEXT("gpu", "choice", d->choice, (unsigned)strlen(d->choice)),
        TEXT("gpu", "device", d->state, STATE_BYTES),
        TEXT("gpu", "name", d->label, LOD_DEVICES_TEXT - 1),
        TEXT("gpu", "why", d->why_host, LOD_DEVICES_TEXT - 1),
        METRIC("counter", "gpu", "batches", "gpu_batches_total", d->batches,
               "Jobs run on a device."),
        METRIC("counter", "gpu", "units", "gpu_made_total", d->units, "Units made on a device."),
        METRIC("gauge", "gpu", "host_bytes_per_second", "gpu_host_bytes_per_second",
               d->host_bytes_per_second,
               "Measured speed of all cores of the host; 0: not measured."),
        METRIC("gauge", "gpu", "device_bytes_per_second", "gpu_device_bytes_per_second",
               d->device_bytes_per_second, "Measured speed of the device; 0: not measured."),
    };
    _Static_assert(sizeof(all) <= sizeof(ret_values->at), "LOD_VALUES_MAX");

    memcpy(ret_values->at, all, sizeof(all));
    ret_values->count = sizeof(all) / sizeof(all[0]);
    add_loads(ret_values, &r);
    add_server(ret_values, control);
}
