/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory/cache.h"

static atomic_int alive; /* blobs not yet destroyed */

struct source {
    size_t bytes, idle; /* of each blob */
    int error;
    unsigned fills;
};

static void destroy(struct lod_blob *blob)
{
    atomic_fetch_sub(&alive, 1);
    free(blob);
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    struct source *source = ctx;

    source->fills++;
    if (source->error) {
        return source->error;
    }
    if (lod_blob_create(source->bytes, ret_blob)) {
        return -ENOMEM;
    }
    (*ret_blob)->destroy = destroy;
    (*ret_blob)->idle = source->idle;
    atomic_fetch_add(&alive, 1);
    memcpy((*ret_blob)->data, &key.low, source->bytes < 8 ? source->bytes : 8);
    return 0;
}

static struct lod_blob *get(struct lod_cache *cache, uint64_t low, struct source *source)
{
    struct lod_key key = {.high = 7, .low = low};
    struct lod_blob *blob = NULL;

    cr_assert_eq(lod_cache_get(cache, key, fill, source, &blob), 0);
    cr_assert_eq(memcmp(blob->data, &low, 8), 0, "the bytes of this key");
    return blob;
}

static struct lod_cache *create(size_t bytes_max)
{
    struct lod_cache *cache = NULL;
    cr_assert_eq(lod_cache_create(bytes_max, &cache), 0);
    return cache;
}

Test(cache, a_second_get_is_a_hit_and_the_same_blob)
{
    struct lod_cache *cache = create(1 << 20);
    struct source source = {.bytes = 4096};
    struct lod_blob *a = get(cache, 1, &source), *b = get(cache, 1, &source);

    cr_assert_eq(a, b);
    cr_assert_eq(source.fills, 1);
    cr_assert_eq(lod_cache_stats(cache).hits, 1);
    cr_assert_eq(lod_cache_stats(cache).misses, 1);
    cr_assert_geq(lod_cache_stats(cache).bytes, 4096);
    lod_blob_unref(a);
    lod_blob_unref(b);
    lod_cache_destroy(cache);
    cr_assert_eq(alive, 0);
}

Test(cache, keys_that_differ_in_one_bit_are_different)
{
    struct lod_cache *cache = create(1 << 20);
    struct source source = {.bytes = 16};

    for (unsigned bit = 0; bit < 128; bit++) {
        struct lod_key key = {.high = bit < 64 ? 0 : 1ull << (bit - 64),
                              .low = bit < 64 ? 1ull << bit : 0};
        struct lod_blob *blob = NULL;
        cr_assert_eq(lod_cache_get(cache, key, fill, &source, &blob), 0);
        lod_blob_unref(blob);
    }
    cr_assert_eq(source.fills, 128);
    lod_cache_destroy(cache);
}

Test(cache, the_limit_holds_and_the_cache_still_keeps_blobs)
{
    static const size_t budgets[] = {0, 100, 5000, 20000, 1 << 20, 16 << 20};

    for (unsigned i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
        struct lod_cache *cache = create(budgets[i]);
        struct source source = {.bytes = 4096};
        for (uint64_t key = 0; key < 6000; key++) {
            lod_blob_unref(get(cache, key, &source));
            cr_assert_leq(lod_cache_stats(cache).bytes, budgets[i]);
        }
        if (budgets[i] >= 5000) {
            cr_assert_gt(lod_cache_stats(cache).bytes, budgets[i] / 2, "%zu", budgets[i]);
            source.fills = 0;
            lod_blob_unref(get(cache, 5999, &source));
            cr_assert_eq(source.fills, 0, "the newest is kept with %zu", budgets[i]);
        }
        lod_cache_destroy(cache);
        cr_assert_eq(alive, 0);
    }
}

Test(cache, a_blob_larger_than_the_limit_evicts_nothing)
{
    struct lod_cache *cache = create(20000);
    struct source small = {.bytes = 4096}, large = {.bytes = 30000};

    lod_blob_unref(get(cache, 1, &small));
    lod_blob_unref(get(cache, 2, &large));
    lod_blob_unref(get(cache, 1, &small));
    cr_assert_eq(small.fills, 1);
    cr_assert_eq(lod_cache_stats(cache).evictions, 0);
    lod_cache_destroy(cache);
    cr_assert_eq(alive, 0);
}

Test(cache, unused_memory_of_a_blob_is_charged)
{
    struct lod_cache *cache = create(20000);
    struct source source = {.bytes = 4096, .idle = 8192};

    for (uint64_t key = 0; key < 3; key++) {
        lod_blob_unref(get(cache, key, &source));
        cr_assert_geq(lod_cache_stats(cache).bytes, 4096 + 8192);
        cr_assert_lt(lod_cache_stats(cache).bytes, 2 * (4096 + 8192));
    }
    cr_assert_eq(lod_cache_stats(cache).filled_bytes, 3 * 4096);
    lod_cache_destroy(cache);
    cr_assert_eq(alive, 0);
}

Test(cache, referenced_blobs_stay_and_new_ones_are_returned_without_being_kept)
{
    struct lod_cache *cache = create(20000);
    struct source source = {.bytes = 4096};
    struct lod_blob *held[4];

    for (uint64_t i = 0; i < 4; i++) {
        held[i] = get(cache, i, &source);
    }
    for (uint64_t key = 100; key < 110; key++) {
        lod_blob_unref(get(cache, key, &source));
        cr_assert_eq(alive, 4, "not kept, so freed at once");
    }
    for (uint64_t i = 0; i < 4; i++) {
        struct lod_blob *again = get(cache, i, &source);
        cr_assert_eq(again, held[i]);
        lod_blob_unref(again);
        lod_blob_unref(held[i]);
    }
    cr_assert_eq(source.fills, 14);
    lod_blob_unref(get(cache, 200, &source));
    cr_assert_eq(alive, 4, "room again: one out, one in");
    lod_cache_destroy(cache);
    cr_assert_eq(alive, 0);
}

Test(cache, frequently_used_blobs_survive_a_scan)
{
    struct lod_cache *cache = create(1 << 20);
    struct source source = {.bytes = 4096};

    for (uint64_t key = 0; key < 10000; key++) {
        lod_blob_unref(get(cache, 1000000 + key, &source));
        lod_blob_unref(get(cache, key % 16, &source));
    }
    cr_assert_lt(source.fills, 10000 + 16 + 100, "%u", source.fills);
    lod_cache_destroy(cache);
}

/* A clock that is seconds ahead, for the process of one test (meson.build wraps it). */
static atomic_int clock_ahead_s;

int __real_clock_gettime(clockid_t clock, struct timespec *ret_now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret_now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret_now)
{
    int result = __real_clock_gettime(clock, ret_now);

    ret_now->tv_sec += clock_ahead_s;
    return result;
}

Test(cache, a_failure_is_remembered_for_seconds, .timeout = 300)
{
    struct lod_cache *cache = create(1 << 20);
    struct source source = {.bytes = 4096, .error = -EBADMSG};
    struct lod_key key = {.high = 7, .low = 1};
    struct lod_blob *blob = NULL;

    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(lod_cache_get(cache, key, fill, &source, &blob), -EBADMSG);
        cr_assert_null(blob);
    }
    cr_assert_eq(source.fills, 1);
    source.error = 0;
    cr_assert_eq(lod_cache_get(cache, key, fill, &source, &blob), -EBADMSG);
    clock_ahead_s = LOD_FLIGHT_FAILED_NS / 1000000000 + 1;
    lod_blob_unref(get(cache, 1, &source));
    cr_assert_eq(source.fills, 2);
    lod_cache_destroy(cache);
    cr_assert_eq(alive, 0);
}

Test(cache, errors_that_say_nothing_about_the_bytes_are_not_remembered)
{
    struct lod_cache *cache = create(1 << 20);
    static const int errors[] = {-ENOMEM, -EINTR, -ETIME, -EMFILE, -ENFILE};

    for (uint64_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        struct source source = {.bytes = 4096, .error = errors[i]};
        struct lod_key key = {.high = 7, .low = i};
        struct lod_blob *blob = NULL;
        cr_assert_eq(lod_cache_get(cache, key, fill, &source, &blob), errors[i]);
        source.error = 0;
        lod_blob_unref(get(cache, i, &source));
        cr_assert_eq(source.fills, 2);
    }
    lod_cache_destroy(cache);
}

Test(cache, remembered_failures_count_towards_the_limit)
{
    struct lod_cache *cache = create(20000);
    struct source source = {.error = -EIO};

    for (uint64_t i = 0; i < 10000; i++) {
        struct lod_blob *blob = NULL;
        struct lod_key key = {.low = i};
        cr_assert_eq(lod_cache_get(cache, key, fill, &source, &blob), -EIO);
        cr_assert_leq(lod_cache_stats(cache).bytes, 20000);
    }
    cr_assert_gt(lod_cache_stats(cache).evictions, 9000);
    lod_cache_destroy(cache);
}

Test(cache, a_blob_outlives_its_cache)
{
    struct lod_cache *cache = create(1 << 20);
    struct source source = {.bytes = 4096};
    struct lod_blob *blob = get(cache, 5, &source);

    lod_cache_destroy(cache);
    cr_assert_eq(alive, 1);
    cr_assert_eq(blob->data[0], 5);
    lod_blob_unref(blob);
    cr_assert_eq(alive, 0);
    cr_assert_null(lod_blob_unref(NULL));
    cr_assert_null(lod_cache_destroy(NULL));
}
