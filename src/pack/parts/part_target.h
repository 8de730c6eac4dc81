/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a store while parts of a pack are written. Locks are taken on the plan: a part
 * locks the numbers of its records as byte ranges of the plan; the commit and a new plan lock all
 * of it. So two parts that have a record in common exclude each other, whatever their N, and a lock
 * ends with its process. Without locks the store stays correct: a part writes its records in a
 * folder of its own, and each is renamed into place when it is complete.
 */
#ifndef LOD_PART_TARGET_H
#define LOD_PART_TARGET_H

#include "compiler.h"
#include "pack/parts/pack_part.h"
#include "pack/parts/plan_file.h"
#include "pack/target/target.h"

/* An fd of -1: none. */
struct lod_part_lock {
    int fd;    /* of the plan */
    bool held; /* the file system has locks */
};

/* The folder in which a part makes its records. An empty name: none. */
#define LOD_PART_FOLDER_ROOM 64
struct lod_part_folder {
    char name[LOD_PART_FOLDER_ROOM];
    int fd;
};

/*
 * Locks the whole plan of a target, if there is one; *ret_plan says whether there is one. Returns
 * -EWOULDBLOCK with a message if a part is being written.
 */
LOD_MUST_CHECK int lod_part_lock_all(const struct lod_target *target,
                                     struct lod_first_error *first_error,
                                     struct lod_part_lock *ret_lock, bool *ret_plan);

/* Locks the records of a part, and checks that the folder still has the plan that was read. */
LOD_MUST_CHECK int lod_part_lock_run(const struct lod_target *target,
                                     const struct lod_pack_plan *plan,
                                     const struct lod_part_run *run,
                                     struct lod_first_error *first_error,
                                     struct lod_part_lock *ret_lock);
void lod_part_unlock(struct lod_part_lock *lock);

/*
 * Makes the folder in which a part makes its records, which target->made_fd becomes, and notes N
 * for the messages of the commit. Removes folders that were left by earlier runs of the part, if
 * its lock is held.
 */
LOD_MUST_CHECK int lod_part_folder_make(struct lod_target *target, const struct lod_pack_part *part,
                                        const struct lod_part_lock *lock,
                                        struct lod_first_error *first_error,
                                        struct lod_part_folder *ret_folder);
void lod_part_folder_remove(struct lod_target *target, struct lod_part_folder *folder);

/* Returns the N that a part noted last; 0: none is known. */
uint32_t lod_part_noted(const struct lod_target *target);

#endif
