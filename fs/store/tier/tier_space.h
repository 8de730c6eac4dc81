/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes that a tier may take: its own limit, and a part of the disk that stays free. The file
 * `used` of the folder has the sum of all slices, and all mounts share it. A writer, and a thread
 * that unlinks slices, holds the lock of this file. Bytes are counted before they are written, so
 * the limit holds at every moment. It knows nothing of slices.
 */
#ifndef LOD_TIER_SPACE_H
#define LOD_TIER_SPACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

#define LOD_TIER_USED "used"

struct lod_tier_space {
    int dir_fd, used_fd;
    uint64_t bytes_max;
    unsigned free_percent;
    pthread_mutex_t lock; /* one writer in this process; flock(2) for the others */
    atomic_bool counted;  /* the bytes in the tier were added up since the mount began */
    atomic_uint_fast64_t full_until_ns; /* after ENOSPC or EDQUOT */
};

/* Borrows `dir_fd`, the tier's folder. */
LOD_MUST_CHECK int lod_tier_space_init(struct lod_tier_space *space, int dir_fd, uint64_t bytes_max,
                                       unsigned free_percent);
void lod_tier_space_finish(struct lod_tier_space *space);

/* Returns how many bytes of the disk a file of `bytes` bytes takes. */
static inline uint64_t lod_tier_space_of(uint64_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

/* Returns false if another writer has kept the lock for a tenth of a second. */
LOD_MUST_CHECK bool lod_tier_space_lock(struct lod_tier_space *space);
void lod_tier_space_unlock(struct lod_tier_space *space);

/* With the lock: counts bytes before they are written. Returns false if there is no room. */
LOD_MUST_CHECK bool lod_tier_space_take(struct lod_tier_space *space, uint64_t bytes);
/* With the lock: subtracts bytes that were removed, or were not written after all. */
void lod_tier_space_release(struct lod_tier_space *space, uint64_t bytes);
/* With the lock: sets the sum. */
void lod_tier_space_set(struct lod_tier_space *space, uint64_t bytes);

/* Call it after a write failed because the disk is full. Writing pauses for some seconds, and then
 * until 1 % of the disk is free. */
void lod_tier_space_note_full(struct lod_tier_space *space, uint64_t now_ns);
bool lod_tier_space_is_full(struct lod_tier_space *space, uint64_t now_ns);

/* Return the sum of all slices, and how many more bytes may be written. Any thread, without the
 * lock. */
uint64_t lod_tier_space_used(const struct lod_tier_space *space);
uint64_t lod_tier_space_room(const struct lod_tier_space *space);
/* The same as lod_tier_space_room, for a sum `used` that was just read. */
uint64_t lod_tier_space_beside(const struct lod_tier_space *space, uint64_t used);

#endif
