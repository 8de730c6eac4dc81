/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides how a raw file is stored, and holds the bytes of those that are compressed or small until
 * their record is laid out. Other files are copied later, as copy.c does.
 */
#ifndef LOD_RAW_HOLD_H
#define LOD_RAW_HOLD_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/record/job.h"

/* Drops all files that are held, before slots are laid out again. */
void lod_raw_hold_begin(struct lod_record_job *job);

/*
 * Reads the source of the last slot and makes its row. Held bytes are appended to group 1 of the
 * job. A source that cannot be read is reported; if pack continues without it, its slot is dropped.
 * Uses the job's buffer.
 */
LOD_MUST_CHECK int lod_raw_hold(struct lod_record_job *job);

/* Returns whether the slot's bytes are held, and how many there are. */
bool lod_raw_is_held(const struct lod_record_job *job, uint32_t slot, size_t *ret_bytes);

/* Gives back the memory that was reserved for the record. */
void lod_raw_hold_finish(struct lod_record_job *job);

#endif
