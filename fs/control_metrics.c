/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two formats have the same samples. They differ in the family that a counter or an info is
 * said to belong to: OpenMetrics takes the suffix off its name.
 */
#include "control_metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "control_values.h"

struct lines {
    enum lod_metrics_format format;
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

static bool ends_in(const char *metric, const char *suffix)
{
    size_t bytes = strlen(metric), tail = strlen(suffix);

    return bytes > tail && strcmp(metric + bytes - tail, suffix) == 0;
}

static void head(struct lines *lines, const char *metric, const char *type, const char *help)
{
    int bytes = (int)strlen(metric);

    if (lines->format == LOD_METRICS_OPEN) {
        type = ends_in(metric, "_info") ? "info" : type;
        bytes -= ends_in(metric, "_info")    ? (int)strlen("_info")
                 : ends_in(metric, "_total") ? (int)strlen("_total")
                                             : 0;
    }
    add(lines, "# HELP lodfs_%.*s %s\n# TYPE lodfs_%.*s %s\n", bytes, metric, help, bytes, metric,
        type);
}

static void number(struct lines *lines, const char *metric, double value)
{
    bool whole = value == floor(value);

    add(lines, whole ? "lodfs_%s %.0f\n" : "lodfs_%s %.9g\n", metric, value);
}

static void add_infos(struct lines *lines, const struct lod_control *control)
{
    head(lines, "build_info", "gauge", "The program that serves.");
    add(lines, "lodfs_build_info{version=\"%s\"} 1\n", LODFS_VERSION);
    head(lines, "auto_info", "gauge", "The fidelity that auto leads to.");
    add(lines, "lodfs_auto_info{fidelity=\"%s\"} 1\n",
        lod_fidelity_name(lod_control_auto(control)));
}

static void add_requests(struct lines *lines, const struct lod_control *control)
{
    head(lines, "fuse_ops_total", "counter", "Requests of the kernel.");
    for (unsigned i = 0; i < LOD_REQUESTS; i++) {
        add(lines, "lodfs_fuse_ops_total{op=\"%s\"} %llu\n", lod_request_name((enum lod_request)i),
            atomic_load(&control->requests[i]));
    }
}

static void add_histogram(struct lines *lines, const struct lod_control *control, unsigned request)
{
    static const char metric[] = "lodfs_fuse_op_duration_seconds";
    const char *op = lod_request_name((enum lod_request)request);
    struct lod_duration_sum sum;
    uint64_t below = 0;

    lod_durations_sum(&control->durations, request, &sum);
    for (unsigned b = 0; b < LOD_DURATION_BUCKETS; b++) {
        below += sum.counts[b];
        add(lines, "%s_bucket{op=\"%s\",le=\"%s\"} %" PRIu64 "\n", metric, op,
            lod_duration_bound(b), below);
    }
    add(lines, "%s_sum{op=\"%s\"} %.9f\n", metric, op, sum.seconds);
    add(lines, "%s_count{op=\"%s\"} %" PRIu64 "\n", metric, op, sum.count);
}

static void add_durations(struct lines *lines, const struct lod_control *control)
{
    head(lines, "fuse_op_duration_seconds", "histogram",
         "From taking a request of the kernel to having answered it.");
    for (unsigned i = 0; i < LOD_REQUESTS; i++) {
        add_histogram(lines, control, i);
    }
}

static void add_read_bytes(struct lines *lines, const struct lod_control *control)
{
    head(lines, "read_bytes_total", "counter", "Bytes of files handed to the kernel.");
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        add(lines, "lodfs_read_bytes_total{fidelity=\"%s\"} %llu\n",
            lod_fidelity_name((enum lod_fidelity)f), atomic_load(&control->read_bytes[f]));
    }
}

static void add_store_requests(struct lines *lines, struct lod_control *control)
{
    struct lod_reader_stats stats;

    lod_reader_stats(control->reader, &stats);
    head(lines, "backend_requests_total", "counter",
         "Requests to the store for stored bytes, by how they ended.");
    for (unsigned i = 0; i < LOD_OUTCOMES; i++) {
        add(lines, "lodfs_backend_requests_total{code=\"%s\"} %" PRIu64 "\n",
            lod_outcome_name((enum lod_outcome)i), stats.store_outcomes[i]);
    }
}

int lod_control_metrics_text(struct lod_control *control, enum lod_metrics_format format,
                             char *text, size_t room)
{
    struct lines lines = {.format = format, .text = text, .room = room};
    struct lod_value values[LOD_VALUES_MAX];
    unsigned count = lod_control_values(control, values);

    add_infos(&lines, control);
    add_requests(&lines, control);
    add_durations(&lines, control);
    add_read_bytes(&lines, control);
    add_store_requests(&lines, control);
    for (unsigned i = 0; i < count; i++) {
        if (values[i].metric) {
            head(&lines, values[i].metric, values[i].type, values[i].help);
            number(&lines, values[i].metric, values[i].value);
        }
    }
    return lines.full ? -E2BIG : 0;
}
