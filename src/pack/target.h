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
    bool made;      /* by us */
    bool committed; /* then finish leaves everything in place */
};

/*
 * Is `path` fit to become a store of the source behind source_fd? Refused: a folder that holds a
 * store or foreign files, no folder at all, one inside the source or around it. Changes nothing.
 * *ret_exists, and then its device and inode. Errors have their sentence in `trouble`.
 */
LOD_MUST_CHECK int lod_target_check(const char *path, int source_fd, struct lod_trouble *trouble,
                                    bool *ret_exists, uint64_t *ret_dev, uint64_t *ret_ino);

/*
 * Makes the folder where needed, locks it, checks it again under the lock and removes what a pack
 * that did not end left behind. -EWOULDBLOCK: another pack holds the lock.
 */
LOD_MUST_CHECK int lod_target_open(const char *path, struct lod_trouble *trouble,
                                   struct lod_target *ret_target);

/* Flushes the names of the records before the index is written. */
LOD_MUST_CHECK int lod_target_sync_records(const struct lod_target *target);

/* Not committed: removes what was written, and the folder if we made it. */
void lod_target_finish(struct lod_target *target);

#endif
