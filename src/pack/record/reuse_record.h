/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a record that an earlier run of the same pack wrote. */
#ifndef LOD_REUSE_RECORD_H
#define LOD_REUSE_RECORD_H

#include "compiler.h"
#include "pack/record/job.h"

/*
 * Keeps the record if the earlier run completed it: slots, rows and files are set as if this run
 * had written it. If it is not sound, or not the record that this run would write, count is 0.
 * Returns -ENOMEM or -EINTR.
 */
LOD_MUST_CHECK int lod_reuse_record(struct lod_record_job *job, struct lod_record_desc *ret_recd);

#endif
