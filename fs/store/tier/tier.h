/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tier: a folder on a fast local disk in front of any store, which keeps what loads bring, also
 * for later mounts. When it is full, records that jobs list get room (tier_room.h). Nothing in it
 * is trusted: the readers of records check each frame, and doubt what is wrong. Errors are those of
 * the store only.
 */
#ifndef LOD_TIER_H
#define LOD_TIER_H

#include <stdint.h>

#include "backend/store.h"
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
    void (*say)(const char *folder, const char *line);
};

/*
 * Puts a tier in front of `inner` and takes ownership of it, except on error. It starts a thread,
 * which adds up the folder. `why` gets a sentence for the user on error. Never returns -ENOENT,
 * which says that there is no store.
 */
LOD_MUST_CHECK int lod_tier_create(const struct lod_tier_settings *settings, struct lod_id store_id,
                                   struct lod_store *inner, struct lod_store **ret_store, char *why,
                                   size_t why_room);

#endif
