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

uint64_t lod_memory_semaphore_take(struct lod_memory_semaphore *semaphore, uint64_t bytes)
{
    uint64_t wanted = bytes < semaphore->bytes_max ? bytes : semaphore->bytes_max;

    pthread_mutex_lock(&semaphore->lock);
    uint64_t ticket = semaphore->next++;
    while (ticket != semaphore->served || wanted > semaphore->bytes_max - semaphore->bytes) {
        pthread_cond_wait(&semaphore->given, &semaphore->lock);
    }
    semaphore->served++;
    semaphore->bytes += wanted;
    pthread_cond_broadcast(&semaphore->given);
    pthread_mutex_unlock(&semaphore->lock);
    return wanted;
}

void lod_memory_semaphore_give(struct lod_memory_semaphore *semaphore, uint64_t bytes)
{
    pthread_mutex_lock(&semaphore->lock);
    assert(bytes <= semaphore->bytes);
    semaphore->bytes -= bytes;
    pthread_cond_broadcast(&semaphore->given);
    pthread_mutex_unlock(&semaphore->lock);
}
