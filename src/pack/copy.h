/* SPDX-License-Identifier: Apache-2.0 */
/* A record of bytes stored as they are. */
#ifndef LOD_COPY_H
#define LOD_COPY_H

#include "compiler.h"
#include "pack/job.h"

/* Fills slots and files, writes the record and sets *ret_recd unless count stays 0. */
LOD_MUST_CHECK int lod_copy_record(struct lod_record_job *job, struct lod_recd *ret_recd);

#endif
