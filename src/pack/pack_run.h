/* SPDX-License-Identifier: Apache-2.0 */
/* One run of pack: its state, and the stages that are in files of their own. Only src/pack itself
 * includes this. */
#ifndef LOD_PACK_RUN_H
#define LOD_PACK_RUN_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/pack.h"
#include "pack/plan/labels.h"
#include "pack/scans/scans.h"
#include "pack/source/probe.h"
#include "pack/target/resume.h"
#include "pack/target/target.h"
#include "pool.h"

struct lod_pack_run {
    const struct lod_pack_options *options;
    struct lod_first_error *first_error;
    struct lod_pack_result *result;
    int source_fd; /* a folder: the source, or that of its containers */
    bool alone;    /* the source is one container */
    struct lod_target target;
    struct lod_resume resume;
    struct lod_pool *pool;
    struct lod_probe probe;
    struct lod_scans scans;
    struct lod_order order;
    struct lod_labels labels;
    bool begun; /* records may be written */
};

/* Writes the journal, all records, the index and the manifest. */
LOD_MUST_CHECK int lod_pack_write_store(struct lod_pack_run *p);

#endif
