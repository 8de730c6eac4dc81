/* SPDX-License-Identifier: Apache-2.0 */
/* A counting semaphore with tickets, so that small reservations do not starve a large one. */
#include "memory/memory_semaphore.h"

#include <assert.h>

void lod_memory_semaphore_init(struct lod_memory_semaphore *semaphore, uint64_t bytes_max)
{
    *semaphore = (struct lod_memory_semaphore){.bytes_max = bytes_max};
    pthread_mutex_init(&semaphore->lock, NULL);
    pthread_cond_init(&semaphore->given, NULL);
}

void lod_memory_semaphore_finish(struct lod_memory_semaphore *semaphore)
{
    assert(semaphore->bytes == 0);
    pthread_cond_destroy(&semaphore->given);
    pthread_mutex_destroy(&semaphore->lock);
}

void lod_memory_semaphore_lend(struct lod_memory_semaphore *semaphore,
                               void (*relief)(void *ctx, uint64_t bytes), void *ctx)
{
    semaphore->relief = relief;
    semaphore->relief_ctx = ctx;
    atomic_store(&semaphore->kept.bytes_max, (size_t)(semaphore->bytes_max / 2));
}

/* Returns whether `wanted` bytes are available to the next ticket, which the caller has. Kept
 * results are freed only if nothing is reserved. The lock is held, but not during the relief. */
static bool fits(struct lod_memory_semaphore *semaphore, uint64_t wanted)
{
    const uint64_t kept = atomic_load(&semaphore->kept.bytes);
    const uint64_t all = semaphore->bytes + wanted + kept;

    if (all > semaphore->bytes_max && kept && !semaphore->bytes) {
        pthread_mutex_unlock(&semaphore->lock);
        semaphore->relief(semaphore->relief_ctx, all - semaphore->bytes_max);
        pthread_mutex_lock(&semaphore->lock);
        return true;
    }
    return all <= semaphore->bytes_max;
}

uint64_t lod_memory_semaphore_take(struct lod_memory_semaphore *semaphore, uint64_t bytes)
{
    uint64_t wanted = bytes < semaphore->bytes_max ? bytes : semaphore->bytes_max;

    pthread_mutex_lock(&semaphore->lock);
    uint64_t ticket = semaphore->next++;
    while (ticket != semaphore->served || !fits(semaphore, wanted)) {
        pthread_cond_wait(&semaphore->given, &semaphore->lock);
    }
    semaphore->served++;
    semaphore->bytes += wanted;
    pthread_cond_broadcast(&semaphore->given);
    pthread_mutex_unlock(&semaphore->lock);
    return wanted;
}

void lod_memory_semaphore_release(struct lod_memory_semaphore *semaphore, uint64_t bytes)
{
    pthread_mutex_lock(&semaphore->lock);
    assert(bytes <= semaphore->bytes);
    semaphore->bytes -= bytes;
    pthread_cond_broadcast(&semaphore->given);
    pthread_mutex_unlock(&semaphore->lock);
}
