/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a record of encoded items. */
#ifndef LOD_ENCODE_H
#define LOD_ENCODE_H

#include "compiler.h"
#include "pack/record/job.h"

/* Fills slots and files, writes the record and sets *ret_recd unless count stays 0. */
LOD_MUST_CHECK int lod_encode_record(struct lod_record_job *job, struct lod_record_desc *ret_recd);

/*
 * Encodes the source of a file in a kept record again, to find out why it is stored WHOLE or has no
 * levels. If encoding gives no reason, `why` and `no_levels` are unchanged.
 */
void lod_encode_explain(struct lod_record_job *job, uint32_t file);

#endif
