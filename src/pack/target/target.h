/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder into which a store is written: checks that it is suitable, locks it against other
 * packs, keeps the remains of an earlier pack, and cleans up after a failed one.
 */
#ifndef LOD_TARGET_H
#define LOD_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/source/first_error.h"

struct lod_target {
    const char *path; /* borrowed */
    int fd;           /* the folder, locked */
    int records_fd;
    int made_fd; /* the folder in which records are made: records_fd, or that of a part, from which
                  * they are moved when they are complete; borrowed */
    bool made;   /* this run made the folder */
    bool keep;   /* finish leaves everything in place */
};

/*
 * Checks that `path` can become a store of the source behind source_fd. Refuses a folder with a
 * store or foreign files, a file that is not a folder, a folder inside or around the source, one in
 * a mount of lodfs, and a mounted store. Changes nothing. Sets *ret_exists, and if it is true the
 * folder's device and inode. Errors have a message in `first_error`.
 */
LOD_MUST_CHECK int lod_target_check(const char *path, int source_fd,
                                    struct lod_first_error *first_error, bool *ret_exists,
                                    uint64_t *ret_dev, uint64_t *ret_ino);

/*
 * Makes the folder if needed, locks it, and checks it again under the lock. The remains of an
 * earlier pack stay for now; see resume.h. Returns -EWOULDBLOCK if another pack holds the lock.
 */
LOD_MUST_CHECK int lod_target_open(const char *path, struct lod_first_error *first_error,
                                   struct lod_target *ret_target);

/*
 * Opens a folder that is there already, and its records, without a lock, for a part of a pack.
 * Refuses what lod_target_open refuses of the contents.
 */
LOD_MUST_CHECK int lod_target_join(const char *path, struct lod_first_error *first_error,
                                   struct lod_target *ret_target);

/* Makes the names of the records durable, before the index is written. */
LOD_MUST_CHECK int lod_target_sync_records(const struct lod_target *target);

/* Makes the name of the folder itself durable; an earlier run may have made it. */
LOD_MUST_CHECK int lod_target_sync_parent(const struct lod_target *target);

/*
 * Removes the journal, and the plan before it: the last step, behind the commit. They have no
 * effect once there is a manifest, so a failure to remove them is only a warning.
 */
void lod_target_end_journal(const struct lod_target *target);

/* Closes and unlocks. Without `keep` it removes the files that were written, and the folder if this
 * run made it. */
void lod_target_finish(struct lod_target *target);

#endif
