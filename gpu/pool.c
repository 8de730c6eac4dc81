/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread pool: one mutex, two condition variables and a counter of jobs handed out. Jobs take
 * microseconds or more, so locking once for each costs little.
 */
#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct lod_pool {
    pthread_mutex_t lock;
    pthread_cond_t work; /* jobs are waiting, or the pool is ending */
    pthread_cond_t idle; /* the last running job has ended */
    lod_pool_job job;    /* guarded by lock, like all below */
    void *ctx;
    uint64_t next, count; /* next index to hand out; next == count: none left */
    uint64_t failed_at;   /* the lowest index whose job failed */
    int error;            /* of that job; 0: none failed */
    unsigned running;
    bool ending;
    unsigned workers;
    pthread_t threads[];
};

/* Runs the next job. The lock is held on entry and on return, not while the job runs. */
static void run_next(struct lod_pool *pool)
{
    uint64_t index = pool->next++;
    lod_pool_job job = pool->job;
    void *ctx = pool->ctx;

    pool->running++;
    pthread_mutex_unlock(&pool->lock);
    int error = job(ctx, index);
    pthread_mutex_lock(&pool->lock);
    if (error && (!pool->error || index < pool->failed_at)) {
        pool->error = error;
        pool->failed_at = index;
    }
    if (error) {
        pool->next = pool->count;
    }
    if (--pool->running == 0 && pool->next == pool->count) {
        pthread_cond_signal(&pool->idle);
    }
}

static void *worker(void *arg)
{
    struct lod_pool *pool = arg;

    pthread_mutex_lock(&pool->lock);
    while (!pool->ending) {
        if (pool->next < pool->count) {
            run_next(pool);
        } else {
            pthread_cond_wait(&pool->work, &pool->lock);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

int lod_pool_create(unsigned threads, struct lod_pool **ret_pool)
{
    if (threads < 1 || threads > LOD_POOL_THREADS_MAX) {
        return -EINVAL;
    }
    struct lod_pool *pool = calloc(1, sizeof(*pool) + (threads - 1) * sizeof(pool->threads[0]));
    if (!pool) {
        return -ENOMEM;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);
    while (pool->workers < threads - 1) {
        int error = pthread_create(&pool->threads[pool->workers], NULL, worker, pool);
        if (error) {
            lod_pool_destroy(pool);
            return error == EAGAIN ? -ENOMEM : -error;
        }
        pool->workers++;
    }
    *ret_pool = pool;
    return 0;
}

struct lod_pool *lod_pool_destroy(struct lod_pool *pool)
{
    if (!pool) {
        return NULL;
    }
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->workers; i++) {
        pthread_join(pool->threads[i], NULL);
    }
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
    return NULL;
}

int lod_pool_each(struct lod_pool *pool, uint64_t count, lod_pool_job job, void *ctx)
{
    pthread_mutex_lock(&pool->lock);
    pool->job = job;
    pool->ctx = ctx;
    pool->next = 0;
    pool->count = count;
    pool->error = 0;
    pthread_cond_broadcast(&pool->work);
    while (pool->next < pool->count) {
        run_next(pool);
    }
    while (pool->running) {
        pthread_cond_wait(&pool->idle, &pool->lock);
    }
    int error = pool->error;
    pthread_mutex_unlock(&pool->lock);
    return error;
}
