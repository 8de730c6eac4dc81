/* SPDX-License-Identifier: Apache-2.0 */
/* A counting semaphore with tickets, so that a large promise is not starved by small ones. */
#include "budget.h"

#include <assert.h>

void lod_budget_init(struct lod_budget *budget, uint64_t bytes_max)
{
    *budget = (struct lod_budget){.bytes_max = bytes_max};
    pthread_mutex_init(&budget->lock, NULL);
    pthread_cond_init(&budget->given, NULL);
}

void lod_budget_finish(struct lod_budget *budget)
{
    assert(budget->bytes == 0);
    pthread_cond_destroy(&budget->given);
    pthread_mutex_destroy(&budget->lock);
}

uint64_t lod_budget_take(struct lod_budget *budget, uint64_t bytes)
{
    uint64_t wanted = bytes < budget->bytes_max ? bytes : budget->bytes_max;

    pthread_mutex_lock(&budget->lock);
    uint64_t ticket = budget->next++;
    while (ticket != budget->served || wanted > budget->bytes_max - budget->bytes) {
        pthread_cond_wait(&budget->given, &budget->lock);
    }
    budget->served++;
    budget->bytes += wanted;
    pthread_cond_broadcast(&budget->given);
    pthread_mutex_unlock(&budget->lock);
    return wanted;
}

void lod_budget_give(struct lod_budget *budget, uint64_t bytes)
{
    pthread_mutex_lock(&budget->lock);
    assert(bytes <= budget->bytes);
    budget->bytes -= bytes;
    pthread_cond_broadcast(&budget->given);
    pthread_mutex_unlock(&budget->lock);
}
