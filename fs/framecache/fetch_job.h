/* SPDX-License-Identifier: Apache-2.0 */
/* One call of lod_fetch, shared by fetch.c and fetch_read.c alone. */
#ifndef LOD_FETCH_JOB_H
#define LOD_FETCH_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "framecache/fetch.h"

/* A frame to be read. */
struct lod_fetch_miss {
    struct lod_wanted *wanted;
    struct lod_place place;
    struct lod_frame_entry *entry; /* NULL: not claimed, another thread reads it */
    uint8_t *at;
    int error;
};

struct lod_fetch_job {
    struct lod_fetch *fetch;
    const struct lod_item *item;
    uint32_t slot;
    struct lod_record *record; /* NULL: the record cannot be opened, and `error` is why */
    int error;
    bool near;   /* requests do not count for the estimate */
    bool waited; /* for one of them */
    struct lod_chunk *chunk;
    bool retained; /* the chunk is in the budget, so its entries may be in the table */
    unsigned count;
    struct lod_fetch_miss *misses; /* LOD_FETCH_MAX, of which `count` mean something */
};

/* Does miss i + 1 go into the same request as miss i? */
bool lod_fetch_joined(const struct lod_fetch_job *job, unsigned i, uint64_t gap_max);

/* Reads all misses that were claimed; each gets its error. */
void lod_fetch_read(struct lod_fetch_job *job, uint64_t gap_max);

/* Returns the error of a miss that was read, whose hash is checked, after a logged line. */
LOD_MUST_CHECK int lod_fetch_check(struct lod_fetch_job *job, struct lod_fetch_miss *miss);

#endif
