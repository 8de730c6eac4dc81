/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a tier, for the files of this folder only. */
#ifndef LOD_TIER_STATE_H
#define LOD_TIER_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tier/tier.h"
#include "tier/tier_health.h"
#include "tier/tier_recent.h"
#include "tier/tier_evict.h"
#include "tier/tier_space.h"

struct lod_tier {
    struct lod_store *inner;
    char *folder;
    void (*log_line)(const char *folder, const char *line);
    int dir_fd, store_fd;
    struct lod_tier_space space;
    struct lod_tier_health health;
    atomic_uint_fast64_t hits, misses, read_bytes, written_bytes, evicted_bytes, errors;

    pthread_mutex_t lock;            /* guards all below */
    struct lod_tier_recent dropped;  /* slices with wrong bytes: not written again for a minute */
    struct lod_tier_recent reported; /* ranges with a wrong hash */
    uint64_t logged_ns;              /* when the last line was logged; 0: never */
    struct lod_tier_eviction eviction;
    pthread_cond_t change; /* for the thread */
    pthread_t thread;
    bool over;
    bool wants_sum; /* offered bytes found no room, so the slices should be added up again */
    bool announced; /* for lod_tier_eviction_update */
};

/* Starts the thread. */
LOD_MUST_CHECK int lod_tier_sum_start(struct lod_tier *tier);
void lod_tier_sum_end(struct lod_tier *tier);

/* The tier at one moment. The sum is read once, and the disk is queried once. */
struct lod_tier_now {
    enum lod_tier_state state;
    uint64_t used, room; /* of the space */
};

struct lod_tier_now lod_tier_look(struct lod_tier *tier);

/* Wakes the tier's thread, which then processes changed lists. The lock is held. */
void lod_tier_wake(struct lod_tier *tier);

/* Returns whether the thread should end. */
bool lod_tier_is_over(struct lod_tier *tier);

/* Borrows `tier_fd`. */
void lod_tier_eviction_init(struct lod_tier_eviction *eviction, int tier_fd);
void lod_tier_eviction_finish(struct lod_tier_eviction *eviction);

/* These objects are listed by jobs of this mount, in this order. Never blocks for the disk. */
void lod_tier_list(struct lod_tier *tier, const struct lod_listed *objects, size_t count);

/* Returns the bytes that the lists of all mounts may take if all other slices are evicted; 0:
 * nothing now. */
uint64_t lod_tier_lists_limit(const struct lod_tier *tier, const struct lod_tier_now *now);

/* Returns the bytes that the lists of this mount may take beside the claims of others, if all may
 * take `limit`. It may read the files of their lists. */
uint64_t lod_tier_lists_room(struct lod_tier *tier, uint64_t limit);

/* The thread: claims space for the announced objects, and publishes the claim to other mounts,
 * whose claims the caller gets and frees (lod_tier_lists_others). Removes the objects from
 * `announced` that are not claimed. */
LOD_MUST_CHECK int lod_tier_claim(struct lod_tier *tier, struct lod_tier_keys *announced,
                                  struct lod_tier_keys *ret_others);

/* Returns how many more bytes of an object the tier would take. */
uint64_t lod_tier_space_for(struct lod_tier *tier, uint64_t key);

/* With the lock of the space: evicts slices until there is room for `bytes` of a claimed key, or no
 * other slice may be evicted. */
void lod_tier_evict_for(struct lod_tier *tier, uint64_t key, uint64_t bytes);

/* Called by the tier's thread: writes the lists for other mounts, and finds slices that may be
 * removed. */
void lod_tier_eviction_update(struct lod_tier *tier);

/* Reports a line about the tier to the user, at most one a minute. */
void lod_tier_report(struct lod_tier *tier, const char *line);

/* Reads [offset, offset + bytes) of an object.
 * Returns how many of the first bytes could be read. */
size_t lod_tier_read(struct lod_tier *tier, uint64_t key, uint64_t offset, void *into, size_t bytes,
                     bool load);

/* Returns the end of the bytes of [from, to) that are there. */
uint64_t lod_tier_copied(struct lod_tier *tier, uint64_t key, uint64_t from, uint64_t to);

/* Appends to the bytes that are there, as far as there is room. */
void lod_tier_write(struct lod_tier *tier, uint64_t key, uint64_t offset, const uint8_t *from,
                    size_t bytes);

/* Called when a hash of the range was wrong: unlinks its slices. Returns whether bytes of the tier
 * may have been the cause, so that reading again can help. */
bool lod_tier_report_wrong(struct lod_tier *tier, uint64_t key, uint64_t offset, size_t bytes);

#endif
