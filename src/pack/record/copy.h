/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a record of raw files, compressed where that pays. */
#ifndef LOD_COPY_H
#define LOD_COPY_H

#include "compiler.h"
#include "pack/record/job.h"

/* Fills slots and files, writes the record and sets *ret_recd unless count stays 0. */
LOD_MUST_CHECK int lod_copy_record(struct lod_record_job *job, struct lod_record_desc *ret_recd);

#endif
