/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache under ThreadSanitizer. Threads ask for overlapping keys of a cache far too small for
 * them, while some fills fail. Checked: each blob has the bytes of its key, no key is made twice at
 * a time, the limit holds at every check, and nothing is left at the end.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"

#define THREADS    6
#define ROUNDS     6000
#define KEYS       200
#define BLOB_BYTES 1000
#define BUDGET     (40 * 1200)
#define HELD       4 /* blobs that a thread keeps while it continues */

static struct lod_cache *cache;
static atomic_int alive, wrong;
static atomic_int making[KEYS];

static void fail(const char *what, uint64_t key)
{
    fprintf(stderr, "key %llu: %s\n", (unsigned long long)key, what);
    atomic_fetch_add(&wrong, 1);
}

static void destroy(struct lod_blob *blob)
{
    atomic_fetch_sub(&alive, 1);
    free(blob);
}

/* Every 17th key fails with an error that is remembered, every 19th with one that is not. */
static int make(struct lod_key key, struct lod_blob **ret_blob)
{
    if (key.low % 17 == 3) {
        return -EBADMSG;
    }
    if (key.low % 19 == 5) {
        return -EINTR;
    }
    if (lod_blob_create(BLOB_BYTES, ret_blob)) {
        return -ENOMEM;
    }
    (*ret_blob)->destroy = destroy;
    atomic_fetch_add(&alive, 1);
    memset((*ret_blob)->data, (int)key.low, BLOB_BYTES);
    return 0;
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    (void)ctx;
    if (atomic_fetch_add(&making[key.low], 1) != 0) {
        fail("made twice at a time", key.low);
    }
    sched_yield();
    int error = make(key, ret_blob);
    atomic_fetch_sub(&making[key.low], 1);
    return error;
}

static int expected(uint64_t key)
{
    return key % 17 == 3 ? -EBADMSG : key % 19 == 5 ? -EINTR : 0;
}

static void look(uint64_t key, int error, const struct lod_blob *blob)
{
    if (error != expected(key)) {
        fail("another result than its fill gave", key);
    } else if (!error && (blob->bytes != BLOB_BYTES || blob->data[0] != (uint8_t)key ||
                          blob->data[BLOB_BYTES - 1] != (uint8_t)key)) {
        fail("bytes of another key", key);
    }
    if (lod_cache_stats(cache).bytes > BUDGET) {
        fail("the budget is passed", key);
    }
}

static void *run(void *arg)
{
    unsigned state = *(unsigned *)arg;
    struct lod_blob *held[HELD] = {NULL};

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct lod_key key = {.high = 1, .low = (uint64_t)rand_r(&state) % KEYS};
        struct lod_blob *blob = NULL;
        int error = lod_cache_get(cache, key, fill, NULL, &blob);
        look(key.low, error, blob);
        lod_blob_unref(held[i % HELD]);
        held[i % HELD] = error ? NULL : blob;
    }
    for (unsigned i = 0; i < HELD; i++) {
        lod_blob_unref(held[i]);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];

    if (lod_cache_create(BUDGET, &cache)) {
        return 1;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i + 1;
        if (pthread_create(&threads[i], NULL, run, &seeds[i])) {
            return 1;
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    struct lod_cache_stats stats = lod_cache_stats(cache);
    if (stats.hits == 0 || stats.evictions == 0) {
        fail("no hit or no eviction: nothing was tried", 0);
    }
    lod_cache_destroy(cache);
    if (alive != 0) {
        fail("blobs left over", (uint64_t)alive);
    }
    return wrong != 0;
}
