/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread pipeline: each job writes one whole record, from opening its sources to fsync. What a
 * record holds was decided by order.c, so its bytes do not depend on who writes it or when.
 *
 * Memory beside the source list: a thread holds the encoded groups of one record (about
 * 2 x record_bytes, or one large file) and a copy buffer of 4 MiB; what encoding needs on top is
 * taken from a budget shared by all threads. So: threads x (2 x record_bytes + 4 MiB) + the budget.
 */
#ifndef LOD_WRITE_H
#define LOD_WRITE_H

#include "compiler.h"
#include "pack/job.h"

#define LOD_WRITE_WORK_BYTES ((uint64_t)1 << 30) /* of the budget */

/* Writes all records of the order as number 1 and up. */
LOD_MUST_CHECK int lod_write_records(struct lod_write *write);
void lod_write_finish(struct lod_write *write);

#endif
