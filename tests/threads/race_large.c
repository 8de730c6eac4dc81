/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large units under ThreadSanitizer. Threads read more units than there is room for, mostly from
 * their begin to their end, while some fills fail and units are evicted. Checked: each read keeps
 * its bytes while it holds them, although other reads free pages, and the limit holds.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/large_units.h"

#define THREADS    6
#define ROUNDS     400
#define KEYS       9
#define PAGE       4096u
#define PAGES      64u
#define UNIT_BYTES (PAGES * PAGE)
#define LIMIT      (3 * UNIT_BYTES)

static struct lod_byte_limit limit = {.bytes_max = LIMIT};
static struct lod_large_units *units;
static atomic_int wrong;

static void fail(const char *what, uint64_t key)
{
    fprintf(stderr, "unit %llu: %s\n", (unsigned long long)key, what);
    atomic_fetch_add(&wrong, 1);
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    (void)ctx;
    if (key.low == 4) {
        return -EBADMSG;
    }
    if (key.low == 5) {
        return -EINTR;
    }
    if (lod_blob_create(UNIT_BYTES, ret_blob)) {
        return -ENOMEM;
    }
    for (unsigned page = 0; page < PAGES; page++) {
        memset((*ret_blob)->data + (size_t)page * PAGE, (int)(key.low * PAGES + page + 1), PAGE);
    }
    return 0;
}

/* Reads one page of a unit, and checks it again after others have read. */
static void read_page(uint64_t number, unsigned page, unsigned *seed)
{
    const struct lod_key key = {.high = 7, .low = number};
    const uint8_t byte = (uint8_t)(number * PAGES + page + 1);
    struct lod_blob *blob = NULL;

    const int error =
        lod_large_units_get(units, key, (uint64_t)page * PAGE, PAGE, fill, NULL, &blob);
    const int expected = number == 4 ? -EBADMSG : number == 5 ? -EINTR : 0;
    if (error != expected && error != -ETIME) {
        fail("wrong error", number);
    }
    for (unsigned look = 0; blob && look < 2; look++) {
        const uint8_t *at = blob->data + (size_t)page * PAGE;
        if (at[0] != byte || at[PAGE - 1] != byte) {
            fail("wrong byte", number);
        }
        if (rand_r(seed) % 4 == 0) {
            sched_yield();
        }
    }
    lod_blob_unref(blob);
}

static void *reader(void *arg)
{
    unsigned seed = *(const unsigned *)arg;

    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint64_t number = (uint64_t)rand_r(&seed) % KEYS;
        const unsigned end = rand_r(&seed) % 2 ? PAGES : (unsigned)rand_r(&seed) % PAGES;
        for (unsigned page = (unsigned)rand_r(&seed) % 8; page < end; page += 1 + round % 3) {
            read_page(number, page, &seed);
        }
        if (round % 16 == 0) {
            lod_large_units_shrink(units, UNIT_BYTES);
        }
        if (atomic_load(&limit.bytes) > LIMIT || lod_large_units_stats(units).bytes > LIMIT) {
            fail("above the limit", number);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];

    if (lod_large_units_create(&limit, &units)) {
        return 1;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i + 1;
        if (pthread_create(&threads[i], NULL, reader, &seeds[i])) {
            return 1;
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    const struct lod_cache_stats stats = lod_large_units_stats(units);
    lod_large_units_destroy(units);
    if (atomic_load(&limit.bytes)) {
        fail("bytes are left", 0);
    }
    printf("%llu hits, %llu misses, %llu evictions\n", (unsigned long long)stats.hits,
           (unsigned long long)stats.misses, (unsigned long long)stats.evictions);
    return wrong != 0;
}
