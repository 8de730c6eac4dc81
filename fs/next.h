/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that is told of one item at a time and does something with it, so that who tells it need
 * not wait: the newest is what counts, an older one that it has not come to is forgotten. Begun
 * with the first.
 */
#ifndef LOD_NEXT_H
#define LOD_NEXT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Item `item`, as far as `last`. */
typedef void (*lod_next_each)(void *ctx, uint32_t item, unsigned last);

struct lod_next {
    lod_next_each each;
    void *ctx;
    pthread_mutex_t lock;
    pthread_cond_t told;
    pthread_t thread;
    bool has_thread, has_item, over; /* guarded by lock, like what follows */
    uint32_t item;
    unsigned last;
};

void lod_next_init(struct lod_next *next, lod_next_each each, void *ctx);

/* Does nothing where there can be no thread. */
void lod_next_tell(struct lod_next *next, uint32_t item, unsigned last);

/* Waits for what it is doing. */
void lod_next_finish(struct lod_next *next);

#endif
