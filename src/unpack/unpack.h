/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lodfs unpack` without its command line: writes the tree of a store as files, with names, modes,
 * times, symbolic and hard links and empty folders. Prints only the progress line. Takes 8 bytes of
 * memory for each file, and the reader's caches.
 */
#ifndef LOD_UNPACK_H
#define LOD_UNPACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "list.h"
#include "pack/source/first_error.h"
#include "terminal/progress.h"
#include "terminal/cancel.h"

#define LOD_UNPACK_NOTES_MAX 10000u

struct lod_unpack_options {
    struct lod_dataset *dataset;
    const char *folder;
    enum lod_fidelity fidelity;
    bool else_full; /* files that do not exist at `fidelity` are written as at full */
    unsigned threads;
    bool sync; /* all files are durable before the function returns */
    struct lod_progress *progress;
    struct lod_cancel *stop;
};

/* A file that was not written. */
struct lod_unpack_note {
    char *path;
    const char *what; /* a static text */
    bool failed;      /* an error; else the store does not have the file at this fidelity */
};

/* Initialise with zeros, and the lock. */
struct lod_unpack_result {
    pthread_mutex_t lock; /* guards the notes and sums while files are written */
    uint64_t files, folders, symlinks, hard_links, bytes;
    uint64_t there; /* files that an earlier run had written */
    uint64_t left_out, failed;
    uint64_t at_full;                       /* files written as at full because of else_full */
    LOD_LIST(struct lod_unpack_note) notes; /* LOD_UNPACK_NOTES_MAX at most */
};

/*
 * Returns 0 if all files but those of the notes are written. Otherwise returns
 *   -ENOTEMPTY  if the folder is not empty and has no mark of an incomplete unpack,
 *   -EEXIST     if it has the mark of another unpack,
 *   -EDOM       if the folder is in the store; nothing is written,
 *   -EBUSY      if an unpack is running there,
 *   -EINTR      after a signal,
 * or another error with its message in `first_error`. After -EINTR and other errors the same call
 * continues. The result belongs to lod_unpack_finish.
 */
LOD_MUST_CHECK int lod_unpack(const struct lod_unpack_options *options,
                              struct lod_first_error *first_error,
                              struct lod_unpack_result *ret_result);
void lod_unpack_finish(struct lod_unpack_result *result);

#endif
