/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishes the records that jobs have listed, and their sizes, to all mounts of a tier. Each mount
 * with lists keeps a file of them in TIER/lists, and holds a lock on it until it ends. A file
 * without a lock belongs to a mount that was killed. If a key is missing in a file, nothing breaks:
 * the record may have to be requested from the store again.
 */
#ifndef LOD_TIER_LISTS_H
#define LOD_TIER_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/store.h"
#include "compiler.h"
#include "list.h"

#define LOD_TIER_LISTED_MAX 65536u /* keys of a mount; the others are not kept */
#define LOD_TIER_LISTS_MAX  64u    /* mounts with lists */

struct lod_tier_keys {
    LOD_LIST(struct lod_listed);
};

/* Sorts by key. Of equal keys the one with more bytes is kept. */
void lod_tier_keys_sort(struct lod_tier_keys *keys);
/* Finds a key among sorted ones. Returns NULL if it is missing. */
const struct lod_listed *lod_tier_keys_find(const struct lod_tier_keys *keys, uint64_t key);
bool lod_tier_keys_has(const struct lod_tier_keys *keys, uint64_t key);

/* The file of this mount. */
struct lod_tier_lists {
    int tier_fd;
    int fd;        /* -1: the file does not exist yet */
    char name[17]; /* empty: this mount makes no file */
};

/* Borrows `tier_fd`, the tier's folder. */
void lod_tier_lists_init(struct lod_tier_lists *lists, int tier_fd);
/* Removes the file. */
void lod_tier_lists_finish(struct lod_tier_lists *lists);

/* Replaces the first `count` keys of this mount. Makes the file if there are any, and again if it
 * or its folder was removed. One thread. */
LOD_MUST_CHECK int lod_tier_lists_write(struct lod_tier_lists *lists,
                                        const struct lod_tier_keys *keys, size_t count);

/* Returns the keys of all other mounts that live, sorted, and removes the files of dead ones. Any
 * thread. -EAGAIN: a file is being written; -E2BIG. The caller frees ret_keys->at. */
LOD_MUST_CHECK int lod_tier_lists_others(struct lod_tier_lists *lists,
                                         struct lod_tier_keys *ret_keys);

#endif
