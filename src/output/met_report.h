/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what `lodfs met status` and `lodfs met plan` have found. */
#ifndef LOD_MET_REPORT_H
#define LOD_MET_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "met/job_walk.h"

/* Prints where a job stands. `loaded` of its records are in memory. */
LOD_MUST_CHECK int lod_met_report_status(const struct lod_job_walk *walk, uint32_t loaded,
                                         bool json);

/* The facts of a plan. */
struct lod_met_plan {
    const struct lod_read_order *order;
    uint64_t room;  /* of one job */
    uint64_t speed; /* bytes per second that the store gives; 0: not known */
    uint64_t rate;  /* pictures per second that the trainer takes; 0: not known */
    double epochs;  /* of the training; 0: not known */
};

/*
 * Prints a row for each number of bytes. If several fidelities need equally many bytes, the row
 * names the highest.
 */
LOD_MUST_CHECK int lod_met_report_plan(const struct lod_met_plan *plan, bool json);

#endif
