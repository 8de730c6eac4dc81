/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many loads of a warmup are in flight: one, and one more as long as that makes all of them
 * together faster (frames/load_window.h). More would only queue in the line, in front of the
 * requests of readers. While readers of the mount read from its store, the warmup has one small
 * load in flight in a fifth of the time, and readers keep four fifths of the line. Any thread.
 */
#ifndef LOD_WARM_TURNS_H
#define LOD_WARM_TURNS_H

#include <pthread.h>

#include "frames/load_window.h"
#include "terminal/cancel.h"
#include "warmup/warm_readers.h"

struct lod_warm_turns {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t ended;
    struct lod_load_window window;
    unsigned loads; /* in flight */
    struct lod_warm_readers readers;
    uint64_t next_ns; /* while readers read: when the next load may begin */
};

/* `threads`: the most loads in flight; with `fixed` as many at all times. `mount`: whose readers go
 * first, borrowed; NULL: none. */
void lod_warm_turns_init(struct lod_warm_turns *turns, unsigned threads, bool fixed,
                         const char *mount);
void lod_warm_turns_finish(struct lod_warm_turns *turns);

/* Waits for a turn, and returns how many bytes it may load: a multiple of LOD_LOAD_ALIGN. Returns
 * -EINTR if the user ends the command meanwhile. */
LOD_MUST_CHECK int lod_warm_turns_take(struct lod_warm_turns *turns, struct lod_cancel *cancel,
                                       uint64_t *ret_bytes_max);

/* Ends a turn whose load took this time. */
void lod_warm_turns_end(struct lod_warm_turns *turns, const struct lod_load_ended *load);

#endif
