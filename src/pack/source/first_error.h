/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error message for the user. Several threads may meet errors at once. The error of the lowest
 * rank is kept, so the message does not depend on the number of threads.
 */
#ifndef LOD_FIRST_ERROR_H
#define LOD_FIRST_ERROR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/source/source.h"

#define LOD_FIRST_ERROR_BYTES 20480 /* an escaped path of 4,095 bytes and a sentence */

struct lod_first_error {
    pthread_mutex_t lock;
    bool skip_unreadable;
    bool planned;  /* the sources come from a plan, so none can be left out any more */
    uint64_t rank; /* guarded by lock, like the text */
    char text[LOD_FIRST_ERROR_BYTES];
};

void lod_first_error_init(struct lod_first_error *first_error, bool skip_unreadable);
void lod_first_error_finish(struct lod_first_error *first_error);

/* Keeps the message, with the formats of text.h, unless there is one of a lower rank. Returns
 * `error`. */
LOD_MUST_CHECK int lod_first_error_set(struct lod_first_error *first_error, uint64_t rank,
                                       int error, const char *format, ...) LOD_PRINTF(4, 5);

/*
 * Reports that `source` could not be read. With --skip-unreadable it becomes LEFT_OUT, and the
 * result is 0. Errors that are not those of the file (-ENOMEM, -EMFILE, -EINTR) are always
 * returned.
 */
LOD_MUST_CHECK int lod_first_error_source(struct lod_first_error *first_error, uint64_t rank,
                                          struct lod_source *source, int error);

/*
 * The same for a file that becomes several items. Some of them may be written already, so the file
 * can no longer be left out. Returns `error`.
 */
LOD_MUST_CHECK int lod_first_error_parts(struct lod_first_error *first_error, uint64_t rank,
                                         const struct lod_source *source, int error);

#endif
