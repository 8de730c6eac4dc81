/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A FIFO semaphore over bytes of working memory. A thread reserves its whole amount at once and
 * holds at most one reservation, so there is no deadlock.
 */
#ifndef LOD_MEMORY_SEMAPHORE_H
#define LOD_MEMORY_SEMAPHORE_H

#include <pthread.h>
#include <stdint.h>

#define LOD_WORK_SIZE_DEFAULT (256ull << 20)

struct lod_memory_semaphore {
    pthread_mutex_t lock;
    pthread_cond_t given;
    uint64_t bytes_max;
    uint64_t bytes;        /* reserved; guarded by lock, like the tickets */
    uint64_t next, served; /* tickets: drawn, and served so far */
};

void lod_memory_semaphore_init(struct lod_memory_semaphore *semaphore, uint64_t bytes_max);
void lod_memory_semaphore_finish(struct lod_memory_semaphore *semaphore);

/*
 * Blocks until `bytes` are available, or bytes_max if that is less. Returns the bytes to give back.
 */
uint64_t lod_memory_semaphore_take(struct lod_memory_semaphore *semaphore, uint64_t bytes);
void lod_memory_semaphore_give(struct lod_memory_semaphore *semaphore, uint64_t bytes);

#endif
