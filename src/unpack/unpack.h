/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lodfs unpack` without its command line: the tree of a store as files again, with names, modes,
 * times, symbolic and hard links and empty folders. Prints nothing but the progress line. Memory:
 * 8 bytes a file and the reader's caches.
 */
#ifndef LOD_UNPACK_H
#define LOD_UNPACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset.h"
#include "list.h"
#include "pack/trouble.h"
#include "progress.h"
#include "stop.h"

#define LOD_UNPACK_NOTES_MAX 10000u

struct lod_unpack_options {
    struct lod_dataset *dataset;
    const char *folder;
    enum lod_fidelity fidelity;
    bool else_full; /* what is not held at `fidelity` is written as it is at full */
    unsigned threads;
    bool sync; /* all of it on disk before the end */
    struct lod_progress *progress;
    struct lod_stop *stop;
};

/* A file that is not there now. */
struct lod_unpack_note {
    char *path;
    const char *what; /* a static text */
    bool failed;      /* it should be there; else the store does not hold it at this fidelity */
};

/* All zero but for the lock to begin. */
struct lod_unpack_result {
    pthread_mutex_t lock; /* guards the notes and sums while files are written */
    uint64_t files, folders, symlinks, hard_links, bytes; /* written */
    uint64_t left_out, failed;
    uint64_t at_full;                       /* of the files: because of else_full */
    LOD_LIST(struct lod_unpack_note) notes; /* LOD_UNPACK_NOTES_MAX at most */
};

/*
 * 0: done, but for what the notes say. -ENOTEMPTY: the folder is not empty; -EINTR: a signal;
 * else what stopped it, with its sentence in `trouble`. The result is for lod_unpack_finish.
 */
LOD_MUST_CHECK int lod_unpack(const struct lod_unpack_options *options, struct lod_trouble *trouble,
                              struct lod_unpack_result *ret_result);
void lod_unpack_finish(struct lod_unpack_result *result);

#endif
