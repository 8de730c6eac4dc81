/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buffer pool under ThreadSanitizer. Threads take buffers, fill them and return them, as blobs
 * and as plain memory. A buffer that two threads have at once is a race on its bytes.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "memory/buffer_pool.h"

#define THREADS 4u
#define ROUNDS  200u
#define BYTES   ((size_t)160 << 10)

static void *run(void *arg)
{
    struct lod_buffer_pool *pool = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct lod_blob *blob = NULL;
        uint8_t *own = lod_buffer_pool_take(pool, BYTES + i % 7 * 1024);
        if (!own || lod_buffer_pool_blob(pool, BYTES, &blob)) {
            lod_buffer_pool_release(pool, own);
            return pool;
        }
        memset(own, (int)i, BYTES);
        memset(blob->data, (int)i, BYTES);
        lod_buffer_pool_release(pool, own);
        lod_blob_unref(blob);
    }
    return NULL;
}

int main(void)
{
    struct lod_buffer_pool pool;
    pthread_t id[THREADS];
    unsigned started = 0, wrong = 0;

    lod_buffer_pool_init(&pool);
    while (started < THREADS && pthread_create(&id[started], NULL, run, &pool) == 0) {
        started++;
    }
    for (unsigned i = 0; i < started; i++) {
        void *failed = NULL;
        pthread_join(id[i], &failed);
        wrong += failed != NULL;
    }
    lod_buffer_pool_finish(&pool);
    wrong += started < THREADS;
    printf("tests: %d passed, %u failed\n", !wrong, wrong);
    return wrong != 0;
}
