/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tier: a folder on a fast local disk in front of any store. It keeps the bytes of loads, also
 * for later mounts. When it is full, other slices are evicted for the records in the lists of jobs
 * (tier_evict.h). Its bytes are not trusted: the readers of records check each frame, and report
 * wrong hashes. Callers only get errors of the store, never those of the tier's disk.
 */
#ifndef LOD_TIER_H
#define LOD_TIER_H

#include <stdint.h>

#include "backend/store.h"
#include "backend/why.h"
#include "compiler.h"
#include "hash.h"

#define LOD_TIER_BYTES_MIN    ((uint64_t)LOD_SLICE_BYTES)
#define LOD_TIER_FREE_DEFAULT 10u
#define LOD_TIER_FREE_MAX     90u

struct lod_tier_settings {
    const char *folder;    /* NULL: no tier */
    uint64_t bytes_max;    /* of the folder's slices, those of other stores too */
    uint32_t free_percent; /* of its disk stays free */
    /* Tells the user one line, at most one a minute. Any thread. */
    void (*log_line)(const char *folder, const char *line);
};

/*
 * Puts a tier in front of `inner` and takes ownership of it, except on error. It starts a thread,
 * which adds up the folder. `why` gets a sentence for the user on error. Never returns -ENOENT,
 * which says that there is no store.
 */
LOD_MUST_CHECK int lod_tier_create(const struct lod_tier_settings *settings, struct lod_id store_id,
                                   struct lod_store *inner, struct lod_store **ret_store,
                                   struct lod_why *why);

#endif
