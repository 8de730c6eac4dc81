/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went wrong, in one sentence for the user. Many threads may find something at once: the one
 * of the lowest rank is kept, so the message does not depend on their number.
 */
#ifndef LOD_TROUBLE_H
#define LOD_TROUBLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/source.h"

#define LOD_TROUBLE_BYTES 20480 /* an escaped path of 4,095 bytes and a sentence */

struct lod_trouble {
    pthread_mutex_t lock;
    bool skip_unreadable;
    uint64_t rank; /* guarded by lock, like the text */
    char text[LOD_TROUBLE_BYTES];
};

void lod_trouble_init(struct lod_trouble *trouble, bool skip_unreadable);
void lod_trouble_finish(struct lod_trouble *trouble);

/* Keeps the sentence if none of a lower rank is there. Returns `error`. */
LOD_MUST_CHECK int lod_trouble_set(struct lod_trouble *trouble, uint64_t rank, int error,
                                   const char *format, ...) LOD_PRINTF(4, 5);

/*
 * `source` could not be read. With --skip-unreadable it becomes LEFT_OUT and the result is 0. What
 * is no trouble of the file itself (-ENOMEM, -EMFILE, -EINTR) always comes back.
 */
LOD_MUST_CHECK int lod_trouble_source(struct lod_trouble *trouble, uint64_t rank,
                                      struct lod_source *source, int error);

/*
 * The same for a file that becomes several items, some of which are written perhaps: it cannot be
 * left out any more. Returns `error`.
 */
LOD_MUST_CHECK int lod_trouble_parts(struct lod_trouble *trouble, uint64_t rank,
                                     const struct lod_source *source, int error);

#endif
