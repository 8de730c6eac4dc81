/* SPDX-License-Identifier: Apache-2.0 */
/* The list of records that a mini-epoch job sends to its mount: LOD_IOC_AHEAD. */
#ifndef LOD_JOB_LIST_H
#define LOD_JOB_LIST_H

#include <stdint.h>

#include "codec.h"
#include "compiler.h"

struct lod_job_walk;

/* Sends the records of the window and of the next part, in place of all before. Prints a line on
 * stderr if there is no memory for that part. Returns an exit code after a message; a mount that
 * takes no list is not an error. */
LOD_MUST_CHECK int lod_job_list_send(struct lod_job_walk *walk);

/* Ends the list, which was of this fidelity. Sets walk->room,
 * walk->speed and walk->accepts_lists. */
LOD_MUST_CHECK int lod_job_list_end(struct lod_job_walk *walk, enum lod_fidelity fidelity);

/* Returns how many of the first records of the list are in memory, up to the first one that is
 * not; 0 if the mount does not know. Sends the list again if the mount has dropped it. Sets the
 * same fields. */
uint32_t lod_job_list_loaded(struct lod_job_walk *walk);

/* Returns how many bytes of the mount's memory the job may use. */
uint64_t lod_job_list_room(const struct lod_job_walk *walk);

#endif
