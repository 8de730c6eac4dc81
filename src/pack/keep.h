/* SPDX-License-Identifier: Apache-2.0 */
/* A record that an earlier run of the same pack wrote, taken over. */
#ifndef LOD_KEEP_H
#define LOD_KEEP_H

#include "compiler.h"
#include "pack/job.h"

/*
 * Takes the record over if the earlier run finished it: slots, rows, files as if it had been
 * written. Not sound, or not what this run would write: count is 0. -ENOMEM, -EINTR.
 */
LOD_MUST_CHECK int lod_keep_record(struct lod_record_job *job, struct lod_recd *ret_recd);

#endif
