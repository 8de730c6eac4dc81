/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefetching that is told: a job says which records it will read, in which order, and how much of
 * each (LOD_IOC_AHEAD). ahead_lists.h keeps what it said.
 */
#ifndef LOD_PREFETCH_AHEAD_H
#define LOD_PREFETCH_AHEAD_H

#include "compiler.h"
#include "frames/ahead_lists.h"
#include "frames/prefetch_state.h"

/* Changes the list of a job, and answers how much of it is in memory. Errors are those of
 * lod_ahead_lists_tell, -ENOENT for a record that the store lacks, and -EIO.
 */
LOD_MUST_CHECK int lod_prefetch_tell(struct lod_prefetch *prefetch,
                                     const struct lod_ahead_tell *tell,
                                     struct lod_ahead_answer *ret_answer);

#endif
