/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "backend/slow.h"
#include "store_fixture.h"

#define NAME "object"
/* A busy machine makes single sleeps longer, and never shorter:
 * the quickest of some tries counts. */
#define TRIES 20u

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Makes a store with an object of `bytes` bytes, 0, 1, 2 and so on. */
static struct lod_object *open_slow(struct fixture *f, struct lod_slow slow, size_t bytes,
                                    struct lod_store **ret_store)
{
    struct lod_store *inner = NULL;
    struct lod_object *object = NULL;
    int fd = openat(f->dir_fd, NAME, O_RDWR | O_CREAT, 0644);

    for (size_t i = 0; i < bytes; i += 4096) {
        uint8_t page[4096];
        for (size_t j = 0; j < sizeof(page); j++) {
            page[j] = (uint8_t)(i + j);
        }
        cr_assert_eq(write(fd, page, sizeof(page)), (ssize_t)sizeof(page));
    }
    close(fd);
    cr_assert_eq(lod_store_open(f->folder, &inner), 0);
    cr_assert_eq(lod_slow_create(&slow, inner, ret_store), 0);
    cr_assert_str_eq(lod_store_location(*ret_store), f->folder);
    cr_assert_eq(lod_object_open(*ret_store, NAME, &object), 0);
    cr_assert_eq(lod_object_bytes(object), bytes);
    return object;
}

static uint8_t into[1 << 20];

static void read_all(struct lod_object *object, size_t bytes, size_t step)
{
    for (size_t at = 0; at < bytes; at += step) {
        cr_assert_eq(lod_object_pread(object, at, into, step), 0);
        cr_assert(into[0] == (uint8_t)at && into[step - 1] == (uint8_t)(at + step - 1));
    }
}

Test(slow, bytes_are_not_faster_than_the_limit)
{
    struct fixture f = fixture_create();
    struct lod_store *store;
    struct lod_object *object =
        open_slow(&f, (struct lod_slow){.bytes_per_second = 4 << 20}, 1 << 20, &store);

    double from = seconds();
    read_all(object, 1 << 20, 64 << 10);
    read_all(object, 1 << 20, 1 << 20);
    double took = seconds() - from;
    cr_assert(took > .44 && took < 30, "%f for .5 s less the burst", took);
    lod_object_close(object);
    lod_store_close(store);
    fixture_destroy(&f);
}

Test(slow, requests_are_delayed_one_after_another)
{
    struct fixture f = fixture_create();
    struct lod_store *store;
    struct lod_object *object =
        open_slow(&f, (struct lod_slow){.latency_ms = 20}, 64 << 10, &store);

    double from = seconds();
    read_all(object, 64 << 10, 4096);
    double took = seconds() - from;
    cr_assert(took > .26 && took < 30, "%f for .32 s less the burst", took);
    lod_object_close(object);
    lod_store_close(store);
    fixture_destroy(&f);
}

Test(slow, delays_overlap_if_they_may)
{
    struct fixture f = fixture_create();
    struct lod_store *store;
    const struct lod_slow slow = {.latency_ms = 200, .parallel = 8};
    struct lod_object *object = open_slow(&f, slow, 64 << 10, &store);
    struct lod_range ranges[16];

    for (unsigned i = 0; i < 16; i++) {
        ranges[i] = (struct lod_range){
            .offset = (uint64_t)i << 12, .bytes = 4096, .into = into + ((size_t)i << 12)};
    }
    cr_assert_eq(lod_store_ranges(store), 8);
    double took = 16 * .2;
    for (unsigned i = 0; i < TRIES && took >= 2.5; i++) {
        const double from = seconds();
        cr_assert_eq(lod_object_read(object, ranges, 16, LOD_READ_DEMAND, NULL), 0);
        took = seconds() - from;
        cr_assert_gt(took, .34);
    }
    cr_assert_lt(took, 2.5, "%f s for two times 200 ms, not 16 times", took);
    for (size_t i = 0; i < 64 << 10; i++) {
        cr_assert_eq(into[i], (uint8_t)((i & ~(size_t)4095) + (i & 4095)));
    }
    lod_object_close(object);
    lod_store_close(store);
    fixture_destroy(&f);
}

Test(slow, requests_are_not_more_than_the_limit)
{
    struct fixture f = fixture_create();
    struct lod_store *store;
    const struct lod_slow slow = {.requests_per_second = 50, .parallel = 64};
    struct lod_object *object = open_slow(&f, slow, 64 << 10, &store);

    double from = seconds();
    read_all(object, 64 << 10, 4096);
    double took = seconds() - from;
    cr_assert(took > .26 && took < 30, "%f for 16 requests at 50 a second less the burst", took);
    lod_object_close(object);
    lod_store_close(store);
    fixture_destroy(&f);
}

/* A thread that sends loads of class AHEAD until `loads` are done. */
struct ahead {
    struct lod_object *object;
    size_t bytes;
    atomic_uint loads, done;
};

static void *load_ahead(void *ctx)
{
    static _Alignas(LOD_LOAD_ALIGN) uint8_t memory[1 << 20];
    struct ahead *ahead = ctx;

    while (ahead->done < ahead->loads) {
        cr_assert_eq(
            lod_object_load(ahead->object, 0, memory, ahead->bytes, LOD_READ_AHEAD, 1, NULL), 0);
        ahead->done++;
    }
    return NULL;
}

static double seconds_of_demand(struct lod_object *object, size_t bytes)
{
    const double from = seconds();

    cr_assert_eq(lod_object_pread(object, 0, into, bytes), 0);
    return seconds() - from;
}

Test(slow, a_reader_does_not_wait_for_loads_ahead_and_those_pay_for_it)
{
    struct fixture f = fixture_create();
    struct lod_store *store;
    struct lod_object *object =
        open_slow(&f, (struct lod_slow){.bytes_per_second = 4 << 20}, 1 << 20, &store);
    struct ahead ahead = {.object = object, .bytes = 1 << 20, .loads = UINT_MAX};
    unsigned quick = 0, reads = 0;
    pthread_t thread;

    const double from = seconds();
    cr_assert_eq(pthread_create(&thread, NULL, load_ahead, &ahead), 0);
    for (; quick < 4 && reads < 4 * TRIES; reads++) {
        quick += seconds_of_demand(object, 128 << 10) < .1;
    }
    ahead.loads = 0;
    pthread_join(thread, NULL);
    const double all = seconds() - from, least = .25 * ahead.done + reads * .031 - .06;
    cr_assert_geq(quick, 4, "%u took less than .1 s beside loads of .25; their own bytes take .03",
                  quick);
    cr_assert_gt(all, least - .26, "%f s for %u loads and %u reads more; the last may owe", all,
                 ahead.done, reads);
    lod_object_close(object);
    lod_store_close(store);
    fixture_destroy(&f);
}

Test(slow, many_readers_beside_loads_ahead_keep_to_the_limit)
{
    struct fixture f = fixture_create();
    struct lod_store *store;
    struct lod_object *object =
        open_slow(&f, (struct lod_slow){.bytes_per_second = 2 << 20}, 1 << 20, &store);
    struct ahead ahead = {.object = object, .bytes = 1 << 20, .loads = 1};
    pthread_t thread;

    cr_assert_eq(pthread_create(&thread, NULL, load_ahead, &ahead), 0);
    double from = seconds();
    read_all(object, 1 << 20, 64 << 10);
    read_all(object, 1 << 20, 64 << 10);
    read_all(object, 1 << 20, 64 << 10);
    const double took = seconds() - from;
    cr_assert(took > 1.4, "%f s for 1.5 s less the burst", took);
    pthread_join(thread, NULL);
    lod_object_close(object);
    lod_store_close(store);
    fixture_destroy(&f);
}

Test(slow, the_time_of_the_first_byte_is_told)
{
    struct fixture f = fixture_create();
    struct lod_store *store;
    const struct lod_slow slow = {.latency_ms = 40, .bytes_per_second = 4 << 20, .parallel = 4};
    struct lod_object *object = open_slow(&f, slow, 1 << 20, &store);
    struct lod_range range = {.into = into, .bytes = 1 << 20};
    struct lod_read_time time;

    unsigned quick = 0;
    for (unsigned i = 0; quick < 2 && i < TRIES;
         i++) { /* a pause before a request must not make it faster */
        cr_assert_eq(lod_object_read(object, &range, 1, LOD_READ_DEMAND, &time), 0);
        cr_assert_gt(time.first_byte_ns, 35000000);
        cr_assert_gt(time.ns, time.first_byte_ns + 240000000);
        quick += time.first_byte_ns < 200000000;
    }
    cr_assert_eq(quick, 2, "the last one took %llu ns", (unsigned long long)time.first_byte_ns);
    lod_object_close(object);
    lod_store_close(store);
    fixture_destroy(&f);
}

static int count(void *ctx, const char *name, bool folder)
{
    (void)name;
    (void)folder;
    ++*(unsigned *)ctx;
    return 0;
}

Test(slow, a_missing_object_is_missing_in_a_slow_store_too)
{
    struct fixture f = fixture_create();
    struct lod_store *store;
    struct lod_object *object = open_slow(&f, (struct lod_slow){0}, 4096, &store), *none;
    unsigned names = 0;

    cr_assert_eq(lod_object_open(store, "nothing", &none), -ENOENT);
    cr_assert_eq(lod_object_open(store, "../x", &none), -EINVAL);
    cr_assert_eq(lod_object_pread(object, 4000, into, 200), -EIO);
    cr_assert_eq(lod_store_list(store, "records", count, &names), 0);
    cr_assert_eq(names, 0);
    lod_object_close(object);
    lod_store_close(store);
    fixture_destroy(&f);
}
