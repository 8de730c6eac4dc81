/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter is one row of the table below, so that JSON and metrics cannot say different things.
 * Numbers are read one by one while others count: each is right, their sums may be off by what
 * happens in between.
 */
#include "control_text.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "devices.h"
#include "log.h"

#define NANO 1e9

struct value {
    const char *part, *key; /* of the JSON document */
    const char *metric;     /* behind "lodfs_"; NULL: in no metric */
    const char *type, *help;
    double value;
};

#define VALUES_MAX 40

static double uptime(const struct lod_control *control)
{
    return (double)(time(NULL) - control->facts.began);
}

static unsigned values_of(struct lod_control *control, struct value values[VALUES_MAX])
{
    struct lod_reader_stats r;
    struct lod_devices_stats d;
    unsigned long long switches = atomic_load(&control->switches);

    lod_reader_stats(control->reader, &r);
    lod_devices_stats(lod_reader_devices(control->reader), &d);
    const struct value all[] = {
        {"auto", "switches", "auto_switches_total", "counter",
         "Times auto was led to another fidelity.", (double)switches},
        {"mount", "uptime_seconds", "uptime_seconds", "gauge", "Seconds since the mount began.",
         uptime(control)},
        {"reads", "answered", "reads_total", "counter", "Reads of files answered.",
         (double)r.reads},
        {"reads", "failed", "read_errors_total", "counter", "Reads of files refused.",
         (double)r.reads_failed},
        {"reads", "bytes", NULL, NULL, NULL, (double)r.reads_bytes},
        {"store", "reads", "backend_requests_total", "counter",
         "Requests to the store for stored bytes.", (double)r.store_reads},
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
    _Static_assert(sizeof(all) <= VALUES_MAX * sizeof(all[0]), "VALUES_MAX");

    for (unsigned i = 0; i < count; i++) {
        values[i] = all[i];
    }
    return count;
}

/* ------------------------------------------------------------------------------------ JSON */

/* object[part], made where it is not there; NULL: no memory. */
static cJSON *part_of(cJSON *object, const char *part)
{
    cJSON *found = cJSON_GetObjectItemCaseSensitive(object, part);

    return found ? found : cJSON_AddObjectToObject(object, part);
}

/* Which device makes what is made, and why it is that. */
static bool add_device(struct lod_control *control, cJSON *object)
{
    struct lod_devices_stats devices;
    cJSON *part = part_of(object, "gpu");

    lod_devices_stats(lod_reader_devices(control->reader), &devices);
    return cJSON_AddStringToObject(part, "choice", devices.choice) &&
           cJSON_AddStringToObject(part, "device", devices.state) &&
           cJSON_AddStringToObject(part, "name", devices.label) &&
           cJSON_AddStringToObject(part, "why", devices.why_host);
}

static bool add_words(struct lod_control *control, cJSON *object)
{
    struct lod_reader_stats stats;
    const char *automatic = lod_fidelity_name(lod_control_auto(control));

    lod_reader_stats(control->reader, &stats);
    return cJSON_AddStringToObject(object, "version", LODFS_VERSION) &&
           cJSON_AddStringToObject(part_of(object, "auto"), "fidelity", automatic) &&
           cJSON_AddStringToObject(part_of(object, "advice"), "name",
                                   lod_advice_name(stats.advice)) &&
           add_device(control, object);
}

static bool add_counts(struct lod_control *control, cJSON *object)
{
    cJSON *requests = part_of(object, "requests"), *bytes = part_of(object, "read_bytes");
    bool good = requests && bytes;

    for (unsigned i = 0; good && i < LOD_REQUESTS; i++) {
        good = cJSON_AddNumberToObject(requests, lod_request_name((enum lod_request)i),
                                       (double)atomic_load(&control->requests[i]));
    }
    for (unsigned f = LOD_Q1; good && f <= LOD_ORIGINAL; f++) {
        good = cJSON_AddNumberToObject(bytes, lod_fidelity_name((enum lod_fidelity)f),
                                       (double)atomic_load(&control->read_bytes[f]));
    }
    return good;
}

/* Takes the object; NULL: no memory. */
static int print(cJSON *object, bool good, char *text, size_t room)
{
    int error = !object || !good ? -ENOMEM : 0;

    if (!error && !cJSON_PrintPreallocated(object, text, (int)room, true)) {
        error = -E2BIG;
    }
    cJSON_Delete(object);
    return error;
}

int lod_control_stats_text(struct lod_control *control, char *text, size_t room)
{
    struct value values[VALUES_MAX];
    unsigned count = values_of(control, values);
    cJSON *object = cJSON_CreateObject();
    bool good = object && add_words(control, object);

    for (unsigned i = 0; good && i < count; i++) {
        good = cJSON_AddNumberToObject(part_of(object, values[i].part), values[i].key,
                                       values[i].value);
    }
    good = good && add_counts(control, object);
    return print(object, good, text, room);
}

static bool add_path(cJSON *object, const char *key, const char *path)
{
    char shown[4 * LOD_PATH_MAX + 1];

    return cJSON_AddStringToObject(object, key,
                                   lod_escape(path, strlen(path), shown, sizeof(shown)));
}

int lod_control_config_text(struct lod_control *control, char *text, size_t room)
{
    const struct lod_control_facts *facts = &control->facts;
    cJSON *object = cJSON_CreateObject();
    bool good = object && cJSON_AddStringToObject(object, "version", LODFS_VERSION) &&
                add_path(object, "store", facts->store) &&
                add_path(object, "mountpoint", facts->mountpoint) &&
                cJSON_AddNumberToObject(object, "store_format_major", LOD_FORMAT_MAJOR) &&
                cJSON_AddNumberToObject(object, "store_format_minor", LOD_FORMAT_MINOR) &&
                cJSON_AddNumberToObject(object, "items",
                                        lod_index_items(lod_dataset_index(control->dataset))) &&
                cJSON_AddStringToObject(object, "fidelity", lod_fidelity_name(facts->first)) &&
                cJSON_AddNumberToObject(object, "mounter", facts->mounter) &&
                cJSON_AddNumberToObject(object, "threads", (double)facts->threads) &&
                cJSON_AddNumberToObject(object, "cache_size", (double)facts->cache_bytes) &&
                cJSON_AddNumberToObject(object, "max_read", (double)facts->read_bytes_max) &&
                cJSON_AddNumberToObject(object, "began", (double)facts->began);

    return print(object, good, text, room);
}

/* --------------------------------------------------------------------------------- metrics */

struct lines {
    char *text;
    size_t used, room;
    bool full;
};

LOD_PRINTF(2, 3) static void add(struct lines *lines, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int bytes = vsnprintf(lines->text + lines->used, lines->room - lines->used, format, args);
    va_end(args);
    lines->full = lines->full || bytes < 0 || (size_t)bytes >= lines->room - lines->used;
    lines->used += lines->full ? 0 : (size_t)bytes;
}

static void head(struct lines *lines, const char *metric, const char *type, const char *help)
{
    add(lines, "# HELP lodfs_%s %s\n# TYPE lodfs_%s %s\n", metric, help, metric, type);
}

int lod_control_metrics_text(struct lod_control *control, char *text, size_t room)
{
    struct lines lines = {.text = text, .room = room};
    struct value values[VALUES_MAX];
    unsigned count = values_of(control, values);

    head(&lines, "build_info", "gauge", "The program that serves.");
    add(&lines, "lodfs_build_info{version=\"%s\"} 1\n", LODFS_VERSION);
    head(&lines, "auto_info", "gauge", "The fidelity that auto leads to.");
    add(&lines, "lodfs_auto_info{fidelity=\"%s\"} 1\n",
        lod_fidelity_name(lod_control_auto(control)));
    head(&lines, "fuse_ops_total", "counter", "Requests of the kernel.");
    for (unsigned i = 0; i < LOD_REQUESTS; i++) {
        add(&lines, "lodfs_fuse_ops_total{op=\"%s\"} %llu\n", lod_request_name((enum lod_request)i),
            atomic_load(&control->requests[i]));
    }
    head(&lines, "read_bytes_total", "counter", "Bytes of files handed to the kernel.");
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        add(&lines, "lodfs_read_bytes_total{fidelity=\"%s\"} %llu\n",
            lod_fidelity_name((enum lod_fidelity)f), atomic_load(&control->read_bytes[f]));
    }
    for (unsigned i = 0; i < count; i++) {
        if (values[i].metric) {
            head(&lines, values[i].metric, values[i].type, values[i].help);
            add(&lines, "lodfs_%s %.17g\n", values[i].metric, values[i].value);
        }
    }
    return lines.full ? -E2BIG : 0;
}
