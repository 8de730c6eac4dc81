/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two formats have the same samples. They differ in the family name of a counter or an info:
 * OpenMetrics removes the suffix from its name.
 */
#include "mount/control_metrics.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mount/control_values.h"
#include "text.h"

#define NUMBER_BYTES 20 /* of 2^64 */

struct lines {
    struct lod_out out;
    enum lod_metrics_format format;
};

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
    lod_out_print(&lines->out, "# HELP lodfs_%.*s %s\n# TYPE lodfs_%.*s %s\n", bytes, metric, help,
                  bytes, metric, type);
}

/* "lodfs_NAME VALUE"; the text format allows blanks, so all values have the same width there. */
LOD_PRINTF(3, 4) static void sample(struct lines *lines, double value, const char *name, ...)
{
    const int width = lines->format == LOD_METRICS_TEXT ? NUMBER_BYTES : 0;
    va_list args;

    va_start(args, name);
    lod_out_put(&lines->out, "lodfs_", strlen("lodfs_"));
    lod_out_vprint(&lines->out, name, args);
    va_end(args);
    lod_out_print(&lines->out, " %*.*f\n", width, value == floor(value) ? 0 : 9, value);
}

static void add_infos(struct lines *lines, const struct lod_control *control)
{
    const char *fidelity = lod_fidelity_name(lod_control_auto(control));
    const int width = lines->format == LOD_METRICS_TEXT ? LOD_AUTO_BYTES : 0;

    head(lines, "build_info", "gauge", "The version of the serving program.");
    sample(lines, 1, "build_info{version=\"%s\"}", LODFS_VERSION);
    head(lines, "auto_info", "gauge", "The fidelity of auto.");
    lod_out_print(&lines->out, "lodfs_auto_info{fidelity=\"%s\"}%*s 1\n", fidelity,
                  width ? width - (int)strlen(fidelity) : 0, "");
}

static void add_requests(struct lines *lines, const struct lod_control *control)
{
    head(lines, "fuse_ops_total", "counter", "Requests from the kernel.");
    for (unsigned i = 0; i < LOD_REQUESTS; i++) {
        sample(lines, (double)atomic_load(&control->requests[i]), "fuse_ops_total{op=\"%s\"}",
               lod_request_name((enum lod_request)i));
    }
}

/* `label` is NAME="VALUE", or empty. */
static void add_histogram(struct lines *lines, const char *metric, const char *label,
                          const struct lod_duration_sum *sum)
{
    const char *open = *label ? "{" : "", *close = *label ? "}" : "";
    uint64_t below = 0;

    for (unsigned b = 0; b < LOD_DURATION_BUCKETS; b++) {
        below += sum->counts[b];
        sample(lines, (double)below, "%s_bucket{%s%sle=\"%s\"}", metric, label, *label ? "," : "",
               lod_duration_bound(b));
    }
    sample(lines, sum->seconds, "%s_sum%s%s%s", metric, open, label, close);
    sample(lines, (double)sum->count, "%s_count%s%s%s", metric, open, label, close);
}

static void add_durations(struct lines *lines, const struct lod_control *control)
{
    head(lines, "fuse_op_duration_seconds", "histogram",
         "Time from reading a request of the kernel to its answer.");
    for (unsigned i = 0; i < LOD_REQUESTS; i++) {
        struct lod_duration_sum sum;
        char op[32];
        lod_durations_sum(&control->durations, i, &sum);
        snprintf(op, sizeof(op), "op=\"%s\"", lod_request_name((enum lod_request)i));
        add_histogram(lines, "fuse_op_duration_seconds", op, &sum);
    }
}

static void add_read_bytes(struct lines *lines, const struct lod_control *control)
{
    head(lines, "read_bytes_total", "counter", "Bytes of files sent to the kernel.");
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        sample(lines, (double)atomic_load(&control->read_bytes[f]),
               "read_bytes_total{fidelity=\"%s\"}", lod_fidelity_name((enum lod_fidelity)f));
    }
}

/* A counter of each format. */
static void add_formats(struct lines *lines, const char *metric, const char *help,
                        const atomic_ullong counts[LOD_FORMATS])
{
    enum lod_format format;
    const char *name;

    head(lines, metric, "counter", help);
    for (unsigned i = 0; (name = lod_control_format(i, &format)); i++) {
        sample(lines, (double)atomic_load(&counts[format]), "%s{format=\"%s\"}", metric, name);
    }
}

/* A back end that sends requests over a network counts them itself, and includes retries. */
static void count_store_requests(struct lod_control *control, uint64_t counts[LOD_OUTCOMES])
{
    struct lod_reader_stats reader;
    struct lod_store_stats store;
    uint64_t sent = 0;

    lod_reader_stats(control->reader, &reader);
    lod_store_stats(lod_dataset_store(control->dataset), &store);
    for (unsigned i = 0; i < LOD_OUTCOMES; i++) {
        sent += store.requests[i];
    }
    for (unsigned i = 0; i < LOD_OUTCOMES; i++) {
        counts[i] = sent ? store.requests[i] : reader.store_outcomes[i];
    }
}

static void add_store_requests(struct lines *lines, struct lod_control *control)
{
    uint64_t counts[LOD_OUTCOMES];

    count_store_requests(control, counts);
    head(lines, "backend_requests_total", "counter", "Requests to the store, by result.");
    for (unsigned i = 0; i < LOD_OUTCOMES; i++) {
        sample(lines, (double)counts[i], "backend_requests_total{code=\"%s\"}",
               lod_outcome_name((enum lod_outcome)i));
    }
}

static void add_loads(struct lines *lines, struct lod_control *control)
{
    static const char *const classes[LOD_READ_CLASSES] = {
        [LOD_READ_DEMAND] = "demand", [LOD_READ_AHEAD] = "ahead"};
    struct lod_reader_stats stats;

    lod_reader_stats(control->reader, &stats);
    head(lines, "load_bytes_total", "counter",
         "Bytes read as prefixes of records: for readers that wait, and ahead of them.");
    for (unsigned i = 0; i < LOD_READ_CLASSES; i++) {
        sample(lines, (double)stats.load_bytes[i], "load_bytes_total{class=\"%s\"}", classes[i]);
    }
    head(lines, "load_wait_seconds", "histogram", "Time that readers wait for loads of prefixes.");
    add_histogram(lines, "load_wait_seconds", "", &stats.load_waits);
}

int lod_control_metrics_text(struct lod_control *control, enum lod_metrics_format format,
                             char *text, size_t room)
{
    struct lines lines = {.out = {.text = text, .room = room}, .format = format};
    struct lod_values values;

    lod_control_values(control, &values);
    add_infos(&lines, control);
    add_requests(&lines, control);
    add_durations(&lines, control);
    add_read_bytes(&lines, control);
    add_formats(&lines, "format_reads_total", "Requests for bytes of files, by format.",
                control->format_reads);
    add_formats(&lines, "format_read_bytes_total", "Bytes of files sent to the kernel, by format.",
                control->format_bytes);
    add_store_requests(&lines, control);
    add_loads(&lines, control);
    for (const struct lod_value *value = values.at; value < values.at + values.count; value++) {
        if (value->metric) {
            head(&lines, value->metric, value->type, value->help);
            sample(&lines, value->value, "%s", value->metric);
        }
    }
    return lines.out.full ? -E2BIG : 0;
}
