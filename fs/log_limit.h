/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits log lines: for one object and kind of error one line a minute, and at most
 * LOD_LOG_LIMIT_OBJECTS lines a minute in all. A damaged store can cause thousands.
 */
#ifndef LOD_LOG_LIMIT_H
#define LOD_LOG_LIMIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define LOD_LOG_LIMIT_OBJECTS 128u
#define LOD_LOG_LIMIT_NS      60000000000ull

struct lod_log_limit {
    pthread_mutex_t lock; /* guards all below */
    struct {
        uint64_t object, kind, from_ns; /* from_ns: time of the last line; 0: unused */
    } lines[LOD_LOG_LIMIT_OBJECTS];
    uint64_t left_out;
};

void lod_log_limit_init(struct lod_log_limit *limit);
void lod_log_limit_finish(struct lod_log_limit *limit);

/*
 * Returns whether a line of this object and kind may be logged at `now_ns`, which is not 0. Then
 * *ret_left_out is the number of lines, of any object, that were left out since the last line. Any
 * thread.
 */
bool lod_log_limit_pass(struct lod_log_limit *limit, uint64_t object, uint64_t kind,
                        uint64_t now_ns, uint64_t *ret_left_out);

/* Returns how many lines were left out since the last one. */
uint64_t lod_log_limit_left_out(struct lod_log_limit *limit);

#endif
