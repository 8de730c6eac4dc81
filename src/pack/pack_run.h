/* SPDX-License-Identifier: Apache-2.0 */
/* One run of pack: its state, and the stages that are in files of their own. Only src/pack itself
 * includes this. */
#ifndef LOD_PACK_RUN_H
#define LOD_PACK_RUN_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/pack.h"
#include "pack/parts/part_target.h"
#include "pack/parts/plan_file.h"
#include "pack/plan/labels.h"
#include "pack/record/job.h"
#include "pack/scans/scans.h"
#include "pack/source/probe.h"
#include "pack/target/resume.h"
#include "pack/target/target.h"
#include "pool.h"

struct lod_pack_run {
    const struct lod_pack_options *options;
    struct lod_first_error *first_error;
    struct lod_pack_result *result;
    int source_fd; /* the folder that is the source, or that has its containers */
    bool alone;    /* the source is one container */
    struct lod_target target;
    struct lod_resume resume;
    struct lod_pool *pool;
    struct lod_probe probe;
    struct lod_scans scans;
    struct lod_order order;
    struct lod_labels labels;
    struct lod_part_lock lock; /* of the plan in the target */
    bool planned;              /* there was one when the target was opened */
    bool begun;                /* records may be written */
};

/*
 * Writes the journal, all records, the index and the manifest. If the target has a plan, which
 * lod_pack_take_plan has read, parts have written the records, and only index and manifest are
 * written here.
 */
LOD_MUST_CHECK int lod_pack_write_store(struct lod_pack_run *p);

/* Makes the state that all jobs share, for the records [first, first + count). Its pointers are to
 * the run and to the arguments. Sets malloc for encoding, if there is some to be done. */
struct lod_write lod_pack_jobs(struct lod_pack_run *p, const struct lod_encode_options *encode,
                               struct lod_memory_semaphore *budget);
struct lod_encode_options lod_pack_encode_options(const struct lod_pack_run *p);

/* Writes journal and plan, once all decisions are made. */
LOD_MUST_CHECK int lod_pack_write_plan(struct lod_pack_run *p);

/* Reads all decisions from the plan in the target. */
LOD_MUST_CHECK int lod_pack_take_plan(struct lod_pack_run *p);

/* Writes the records of a part. Only the source is open yet. */
LOD_MUST_CHECK int lod_pack_write_part(struct lod_pack_run *p);

/* Sets the message that names the missing records, and returns -ENODATA; 0: there are none. */
LOD_MUST_CHECK int lod_pack_refuse_missing(struct lod_pack_run *p, const struct lod_write *write);

#endif
