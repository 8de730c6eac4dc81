/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of a mount that are one number each: one row each, so that JSON and metrics cannot
 * say different things.
 */
#ifndef LOD_CONTROL_VALUES_H
#define LOD_CONTROL_VALUES_H

#include "control.h"

struct lod_value {
    const char *part, *key; /* of the JSON document */
    const char *metric;     /* behind "lodfs_"; NULL: in no metric */
    const char *type, *help;
    double value;
};

#define LOD_VALUES_MAX 40

/* Fills the first so many of `values`, those of a part one behind the other. */
unsigned lod_control_values(struct lod_control *control, struct lod_value values[LOD_VALUES_MAX]);

#endif
