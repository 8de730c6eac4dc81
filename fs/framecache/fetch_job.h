/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one call of lod_fetch or lod_fetch_run; only fetch.c, fetch_read.c and fetch_run.c
 * use it. */
#ifndef LOD_FETCH_JOB_H
#define LOD_FETCH_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "framecache/fetch.h"

/* A frame to be read. */
struct lod_fetch_miss {
    uint32_t slot;
    unsigned group;
    uint64_t frame;
    /* NULL: no reader waits for it. Its first reader checks its hash, and reads it again if it
     * could not be read here. */
    struct lod_wanted *wanted;
    struct lod_place place;
    struct lod_frame_entry *entry; /* NULL: not claimed, another thread reads it */
    uint8_t *at;
    int error;
};

struct lod_fetch_job {
    struct lod_fetch *fetch;
    const struct lod_item *item; /* of the frames that readers wait for, and of the record */
    struct lod_record *record;   /* NULL: the record cannot be opened, and `error` is why */
    int error;
    bool near;   /* memory is expected to answer, so requests do not count for the estimate */
    bool waited; /* a request took longer than memory would */
    struct lod_chunk *chunk;
    bool retained; /* the chunk is in the budget, so its entries may be in the table */
    unsigned count;
    struct lod_fetch_miss *misses; /* `count` of them */
};

/* Fetches the misses in order of the file. Each has its place, or the error of finding it. Returns
 * the first error of a frame that a reader waits for. */
LOD_MUST_CHECK int lod_fetch_misses(struct lod_fetch_job *job);

/* Returns whether miss i + 1 goes into the same request as miss i. */
bool lod_fetch_joined(const struct lod_fetch_job *job, unsigned i, uint64_t gap_max);

/* Reads all misses that were claimed; each gets its error. */
void lod_fetch_read(struct lod_fetch_job *job, uint64_t gap_max);

/* Checks a miss that was read. Returns its error, which is logged. */
LOD_MUST_CHECK int lod_fetch_check(struct lod_fetch_job *job, struct lod_fetch_miss *miss);

#endif
