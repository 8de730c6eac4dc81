/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spare memory under ThreadSanitizer: threads take it, write all of it and give it back, as blobs
 * and as it is. Memory that two have at once is a race on its bytes.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "spare.h"

#define THREADS 4u
#define ROUNDS  200u
#define BYTES   ((size_t)160 << 10)

static void *run(void *arg)
{
    struct lod_spare *spare = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct lod_blob *blob = NULL;
        uint8_t *own = lod_spare_take(spare, BYTES + i % 7 * 1024);
        if (!own || lod_spare_blob(spare, BYTES, &blob)) {
            lod_spare_give(spare, own);
            return spare;
        }
        memset(own, (int)i, BYTES);
        memset(blob->data, (int)i, BYTES);
        lod_spare_give(spare, own);
        lod_blob_unref(blob);
    }
    return NULL;
}

int main(void)
{
    struct lod_spare spare;
    pthread_t id[THREADS];
    unsigned started = 0, wrong = 0;

    lod_spare_init(&spare);
    while (started < THREADS && pthread_create(&id[started], NULL, run, &spare) == 0) {
        started++;
    }
    for (unsigned i = 0; i < started; i++) {
        void *failed = NULL;
        pthread_join(id[i], &failed);
        wrong += failed != NULL;
    }
    lod_spare_finish(&spare);
    wrong += started < THREADS;
    printf("tests: %d passed, %u failed\n", !wrong, wrong);
    return wrong != 0;
}
