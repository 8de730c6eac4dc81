/* SPDX-License-Identifier: Apache-2.0 */
/* The two JSON documents; see control_text.h. */
#include "mount/control_text.h"

#include <errno.h>
#include <string.h>

#include "json.h"
#include "mount/control_values.h"
#include "mount/options.h"

#define NUMBER_BYTES 20 /* of 2^64 */

static void add_values(struct lod_control *control, struct lod_json *json)
{
    struct lod_values values;
    const char *part = NULL;

    lod_control_values(control, &values);
    for (const struct lod_value *value = values.at; value < values.at + values.count; value++) {
        if (!part || strcmp(part, value->part) != 0) {
            if (part) {
                lod_json_end(json);
            }
            part = value->part;
            lod_json_object(json, part);
        }
        if (value->text) {
            lod_json_filled(json, value->key, value->text, value->text_bytes);
        } else {
            lod_json_number(json, value->key, value->value);
        }
    }
    lod_json_end(json);
}

static void add_counts(struct lod_control *control, struct lod_json *json)
{
    lod_json_object(json, "requests");
    for (unsigned i = 0; i < LOD_REQUESTS; i++) {
        lod_json_number(json, lod_request_name((enum lod_request)i),
                        (double)atomic_load(&control->requests[i]));
    }
    lod_json_end(json);
    lod_json_object(json, "read_bytes");
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        lod_json_number(json, lod_fidelity_name((enum lod_fidelity)f),
                        (double)atomic_load(&control->read_bytes[f]));
    }
    lod_json_end(json);
}

static void add_formats(struct lod_control *control, struct lod_json *json)
{
    const char *const keys[] = {"format_reads", "format_bytes"};
    atomic_ullong *const counts[] = {control->format_reads, control->format_bytes};
    enum lod_format format;
    const char *name;

    for (unsigned k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        lod_json_object(json, keys[k]);
        for (unsigned i = 0; (name = lod_control_format(i, &format)); i++) {
            lod_json_number(json, name, (double)atomic_load(&counts[k][format]));
        }
        lod_json_end(json);
    }
}

/* For each kind of request: its total of seconds, and the bounds within which 50 % and 99 % were
 * answered. */
static void add_durations(struct lod_control *control, struct lod_json *json)
{
    static const struct {
        const char *key;
        double share; /* 0: the sum */
    } parts[] = {{"request_seconds", 0}, {"request_seconds_p50", .5}, {"request_seconds_p99", .99}};
    struct lod_duration_sum sum;

    for (unsigned p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
        lod_json_object(json, parts[p].key);
        for (unsigned i = 0; i < LOD_REQUESTS; i++) {
            lod_durations_sum(&control->durations, i, &sum);
            lod_json_number(json, lod_request_name((enum lod_request)i),
                            parts[p].share > 0 ? lod_duration_within(&sum, parts[p].share)
                                               : sum.seconds);
        }
        lod_json_end(json);
    }
}

/*
 * Changing values have a fixed width, so that the document keeps its size. A program that reads it
 * in parts, at different moments, still gets a valid document.
 */
int lod_control_stats_text(struct lod_control *control, char *text, size_t room)
{
    struct lod_json json = {.out = {.text = text, .room = room}, .width = NUMBER_BYTES};

    lod_json_object(&json, NULL);
    lod_json_text(&json, "version", LODFS_VERSION);
    add_values(control, &json);
    add_counts(control, &json);
    add_formats(control, &json);
    add_durations(control, &json);
    lod_json_end(&json);
    return json.out.full ? -E2BIG : 0;
}

int lod_control_config_text(struct lod_control *control, char *text, size_t room)
{
    const struct lod_control_facts *facts = &control->facts;
    struct lod_json json = {.out = {.text = text, .room = room}};

    lod_json_object(&json, NULL);
    lod_json_text(&json, "version", LODFS_VERSION);
    lod_json_text(&json, "store", facts->store);
    lod_json_text(&json, "mountpoint", facts->mountpoint);
    lod_json_number(&json, "store_format_major", LOD_FORMAT_MAJOR);
    lod_json_number(&json, "store_format_minor", LOD_FORMAT_MINOR);
    lod_json_number(&json, "items", lod_index_items(lod_dataset_index(control->dataset)));
    lod_json_number(&json, "began", (double)facts->began);
    lod_json_number(&json, "mounter", facts->mounter);
    if (facts->options) {
        lod_fuse_options_json(facts->options, facts->store, &json);
    }
    lod_json_end(&json);
    return json.out.full ? -E2BIG : 0;
}
