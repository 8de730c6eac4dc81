/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes records on several threads. Each job writes one whole record, from opening its sources to
 * fsync. order.c has decided the contents, so the bytes depend on neither thread nor time.
 *
 * Memory beside the source list: threads x (2 x record_bytes + 4 MiB) + the budget. A thread holds
 * the encoded groups of one record (about 2 x record_bytes, or one large file) and a copy buffer of
 * 4 MiB. Encoding reserves its memory from a budget that all threads share.
 */
#ifndef LOD_WRITE_H
#define LOD_WRITE_H

#include "compiler.h"
#include "pack/record/job.h"

#define LOD_WRITE_WORK_BYTES ((uint64_t)1 << 30) /* size of the budget */

/* Writes the records `first` and up of the order, which counts from 0. */
LOD_MUST_CHECK int lod_write_records(struct lod_write *write);
void lod_write_finish(struct lod_write *write);

#endif
