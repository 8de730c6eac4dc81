/* SPDX-License-Identifier: Apache-2.0 */
/* The two JSON documents; see control_text.h. */
#include "control_text.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "control_values.h"
#include "devices.h"
#include "fuse/options.h"
#include "log.h"

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

/*
 * Numbers have one width, so that whoever reads the file in pieces, each of which is of another
 * moment, still reads a document. 20 digits hold 2^64.
 */
static cJSON *add_count(cJSON *object, const char *key, double value)
{
    char text[64];

    snprintf(text, sizeof(text), value == floor(value) ? "%20.0f" : "%20.9f", value);
    return cJSON_AddRawToObject(object, key, text);
}

static bool add_counts(struct lod_control *control, cJSON *object)
{
    cJSON *requests = part_of(object, "requests"), *bytes = part_of(object, "read_bytes");
    bool good = requests && bytes;

    for (unsigned i = 0; good && i < LOD_REQUESTS; i++) {
        good = add_count(requests, lod_request_name((enum lod_request)i),
                         (double)atomic_load(&control->requests[i]));
    }
    for (unsigned f = LOD_Q1; good && f <= LOD_ORIGINAL; f++) {
        good = add_count(bytes, lod_fidelity_name((enum lod_fidelity)f),
                         (double)atomic_load(&control->read_bytes[f]));
    }
    return good;
}

/* Of each kind of request: seconds in all, and what half and 99 % of them kept. */
static bool add_durations(struct lod_control *control, cJSON *object)
{
    cJSON *seconds = part_of(object, "request_seconds");
    cJSON *half = part_of(object, "request_seconds_p50"),
          *most = part_of(object, "request_seconds_p99");
    bool good = seconds && half && most;

    for (unsigned i = 0; good && i < LOD_REQUESTS; i++) {
        const char *name = lod_request_name((enum lod_request)i);
        struct lod_duration_sum sum;
        lod_durations_sum(&control->durations, i, &sum);
        good = add_count(seconds, name, sum.seconds) &&
               add_count(half, name, lod_duration_within(&sum, .5)) &&
               add_count(most, name, lod_duration_within(&sum, .99));
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
    struct lod_value values[LOD_VALUES_MAX];
    unsigned count = lod_control_values(control, values);
    cJSON *object = cJSON_CreateObject();
    bool good = object && add_words(control, object);

    for (unsigned i = 0; good && i < count; i++) {
        good = add_count(part_of(object, values[i].part), values[i].key, values[i].value);
    }
    good = good && add_counts(control, object) && add_durations(control, object);
    return print(object, good, text, room);
}

static bool add_path(cJSON *object, const char *key, const char *path)
{
    char shown[4 * LOD_PATH_MAX + 1];

    return cJSON_AddStringToObject(object, key,
                                   lod_escape(path, strlen(path), shown, sizeof(shown)));
}

/* -s serves with one thread, whatever -o says. */
static bool add_options(const struct lod_control_facts *facts, cJSON *object)
{
    if (facts->options && lod_fuse_options_show(facts->options, facts->store, object)) {
        return false;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(object, "threads");
    return cJSON_AddNumberToObject(object, "threads", (double)facts->threads);
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
                cJSON_AddNumberToObject(object, "began", (double)facts->began) &&
                cJSON_AddNumberToObject(object, "mounter", facts->mounter) &&
                add_options(facts, object);

    return print(object, good, text, room);
}
