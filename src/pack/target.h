/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder a store is written into: that it may be, that nobody else writes there, what an
 * earlier pack left behind, and the end of it all when pack does not end well.
 */
#ifndef LOD_TARGET_H
#define LOD_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/trouble.h"

struct lod_target {
    const char *path; /* borrowed */
    int fd;           /* the folder, locked */
    int records_fd;
    bool made; /* by us */
    bool keep; /* finish leaves everything in place */
};

/*
 * Is `path` fit to become a store of the source behind source_fd? Refused: a folder that holds a
 * store or foreign files, no folder at all, one inside the source or around it, one in a mount of
 * lodfs, a store that is mounted. Changes nothing.
 * *ret_exists, and then its device and inode. Errors have their sentence in `trouble`.
 */
LOD_MUST_CHECK int lod_target_check(const char *path, int source_fd, struct lod_trouble *trouble,
                                    bool *ret_exists, uint64_t *ret_dev, uint64_t *ret_ino);

/*
 * Makes the folder where needed, locks it and checks it again under the lock. What a pack that did
 * not end left behind stays, and is kept for now: see resume.h. -EWOULDBLOCK: another pack holds
 * the lock.
 */
LOD_MUST_CHECK int lod_target_open(const char *path, struct lod_trouble *trouble,
                                   struct lod_target *ret_target);

/* Flushes the names of the records before the index is written. */
LOD_MUST_CHECK int lod_target_sync_records(const struct lod_target *target);

/*
 * The last step before the manifest gets its name: a store has no journal. What fails after it
 * leaves nothing behind.
 */
LOD_MUST_CHECK int lod_target_end_journal(struct lod_target *target);

/* Closes and unlocks. Without `keep`: removes what was written, and the folder if we made it. */
void lod_target_finish(struct lod_target *target);

#endif
