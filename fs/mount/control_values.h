/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters and texts of a mount with a single value: one row each, so that JSON and metrics
 * always agree.
 */
#ifndef LOD_CONTROL_VALUES_H
#define LOD_CONTROL_VALUES_H

#include "mount/control.h"
#include "read/devices.h"

struct lod_value {
    const char *part, *key; /* of the JSON document */
    const char *metric;     /* after "lodfs_"; NULL: not in the metrics */
    const char *type, *help;
    double value;
    const char *text;    /* borrowed; NULL for a number */
    unsigned text_bytes; /* length of the longest such text */
};

#define LOD_VALUES_MAX 67

struct lod_values {
    struct lod_value at[LOD_VALUES_MAX]; /* rows of a part are adjacent */
    unsigned count;
    struct lod_devices_stats devices; /* owns some of the texts */
};

void lod_control_values(struct lod_control *control, struct lod_values *ret_values);

#endif
