/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mini-epoch job at work: its store, its order, and the list of records that it sends to its
 * mount. All functions return LOD_EXIT_OK, or another exit code after a message on stderr.
 */
#ifndef LOD_JOB_WALK_H
#define LOD_JOB_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "met/job_file.h"
#include "order/met.h"

struct lod_job_walk {
    struct lod_met_job *job; /* borrowed */
    struct lod_dataset *dataset;
    struct lod_read_order *order;
    struct lod_met met; /* the state of a begun or resumed job */
    int control;        /* descriptor of MOUNT/.lodfs/control; -1: this user may not open it */
    uint64_t room;      /* bytes of memory that the mount has for this job */
    uint64_t speed;     /* of the mount's store, in bytes per second; 0: not measured */
    bool accepts_lists; /* the mount accepts a list from this user */
};

/* Opens the store behind job->mount and the order of job->folder. Of `walk` only the job is set
 * before. */
LOD_MUST_CHECK int lod_job_walk_open(struct lod_job_walk *walk, uint64_t seed);
void lod_job_walk_close(struct lod_job_walk *walk);

/* Sets job->mount and job->folder by a path below a mount. */
LOD_MUST_CHECK int lod_job_walk_place(const char *path, struct lod_met_job *job);

/* Begins the job by rules; node `node` of `nodes`. Sends the mount the first records. */
LOD_MUST_CHECK int lod_job_walk_begin(struct lod_job_walk *walk, const struct lod_met_rules *rules,
                                      uint32_t node, uint32_t nodes);

/* Continues from the state of the job. */
LOD_MUST_CHECK int lod_job_walk_resume(struct lod_job_walk *walk);

/*
 * Ends the repeat, and begins the next in job->state. Waits for the next part if the rules ask for
 * that.
 */
LOD_MUST_CHECK int lod_job_walk_next(struct lod_job_walk *walk);

/* Prints the paths of the repeat. */
LOD_MUST_CHECK int lod_job_walk_print(const struct lod_job_walk *walk, bool nul);

/* Ends the list of the job on the mount. */
void lod_job_walk_end(struct lod_job_walk *walk);

#endif
