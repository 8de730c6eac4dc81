/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A FIFO semaphore over bytes of working memory. A thread reserves its whole amount at once and
 * holds at most one reservation, so there is no deadlock. Half of the bytes may hold finished
 * results, until a reservation needs them.
 */
#ifndef LOD_MEMORY_SEMAPHORE_H
#define LOD_MEMORY_SEMAPHORE_H

#include <pthread.h>
#include <stdint.h>

#include "memory/byte_limit.h"

#define LOD_WORK_SIZE_DEFAULT (256ull << 20)

struct lod_memory_semaphore {
    pthread_mutex_t lock;
    pthread_cond_t given;
    uint64_t bytes_max;
    uint64_t bytes;        /* reserved; guarded by lock, like the tickets */
    uint64_t next, served; /* tickets: drawn, and served so far */
    /* Results that are kept, at most half of bytes_max; see lod_memory_semaphore_lend. */
    struct lod_byte_limit kept;
    void (*relief)(void *ctx, uint64_t bytes);
    void *relief_ctx;
};

void lod_memory_semaphore_init(struct lod_memory_semaphore *semaphore, uint64_t bytes_max);
void lod_memory_semaphore_finish(struct lod_memory_semaphore *semaphore);

/*
 * Allows results to take half of the bytes, within the limit `kept`. A holder charges a result
 * while it still has the reservation of its work, which is at least as large; so both together
 * never exceed bytes_max. If a reservation needs more than the other half, and no other reservation
 * is left to wait for, relief(ctx, n) frees n bytes of `kept`, except results in use.
 */
void lod_memory_semaphore_lend(struct lod_memory_semaphore *semaphore,
                               void (*relief)(void *ctx, uint64_t bytes), void *ctx);

/*
 * Blocks until `bytes` are available, or bytes_max if that is less. Returns the bytes to give back.
 */
uint64_t lod_memory_semaphore_take(struct lod_memory_semaphore *semaphore, uint64_t bytes);
void lod_memory_semaphore_release(struct lod_memory_semaphore *semaphore, uint64_t bytes);

#endif
