/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of the records that jobs have listed, of all mounts that share a tier. Each mount with
 * lists has a file of them in TIER/lists, and locks it as long as it lives. A file without a lock
 * belongs to a mount that was killed. A key that is missed costs a request of the store, no more.
 */
#ifndef LOD_TIER_LISTS_H
#define LOD_TIER_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"

#define LOD_TIER_LISTED_MAX 65536u /* keys of a mount; the others are not kept */
#define LOD_TIER_LISTS_MAX  64u    /* mounts with lists */

/* Sorted. */
struct lod_tier_keys {
    LOD_LIST(uint64_t);
};

bool lod_tier_keys_has(const struct lod_tier_keys *keys, uint64_t key);
void lod_tier_keys_sort(struct lod_tier_keys *keys);

/* The file of this mount. */
struct lod_tier_lists {
    int folder_fd, fd; /* -1: there is none yet */
    char name[17];
};

void lod_tier_lists_init(struct lod_tier_lists *lists);
/* Removes the file. */
void lod_tier_lists_finish(struct lod_tier_lists *lists);

/* Replaces the keys of this mount. Makes the file if there are any. */
LOD_MUST_CHECK int lod_tier_lists_write(struct lod_tier_lists *lists, int tier_fd,
                                        const struct lod_tier_keys *keys);

/* Returns the keys of all other mounts that live, and removes the files of dead ones. -EAGAIN: a
 * file is being written; -E2BIG. The caller frees ret_keys->at. */
LOD_MUST_CHECK int lod_tier_lists_others(const struct lod_tier_lists *lists,
                                         struct lod_tier_keys *ret_keys);

#endif
