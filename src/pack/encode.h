/* SPDX-License-Identifier: Apache-2.0 */
/* A record of encoded items. */
#ifndef LOD_ENCODE_H
#define LOD_ENCODE_H

#include "compiler.h"
#include "pack/job.h"

/* Fills slots and files, writes the record and sets *ret_recd unless count stays 0. */
LOD_MUST_CHECK int lod_encode_record(struct lod_record_job *job, struct lod_recd *ret_recd);

/*
 * Says of a file that a kept record holds WHOLE why that is, if its source still tells; else `why`
 * stays as it is.
 */
void lod_encode_explain(struct lod_record_job *job, uint32_t file);

#endif
