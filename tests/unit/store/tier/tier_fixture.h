/* SPDX-License-Identifier: Apache-2.0 */
/* A tier around a folder with one record of 12 MiB, which is opened under a key. */
#ifndef LOD_TIER_FIXTURE_H
#define LOD_TIER_FIXTURE_H

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#include "clock.h"
#include "../store_fixture.h"
#include "tier/tier_files.h"
#include "tier/tier_state.h"

#define MIB        (1u << 20)
#define FILE_BYTES (12u * MIB + 777)
#define KEY        0x12ab000000000034ull

struct tiered {
    struct fixture f;
    char folder[96];
    struct lod_store *store;
    struct lod_object *object;
    uint8_t *truth, *memory;
};

static inline struct lod_tier_stats stats_of(struct tiered *t)
{
    struct lod_store_stats stats;

    lod_store_stats(t->store, &stats);
    return stats.tier;
}

static inline void await_sum(struct tiered *t)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (unsigned ms = 0; ms < 30000 && stats_of(t).state == LOD_TIER_COUNTING; ms++) {
        nanosleep(&pause, NULL);
    }
    cr_assert_neq(stats_of(t).state, LOD_TIER_COUNTING);
}

static inline struct lod_object *open_record(struct lod_store *store, uint64_t key)
{
    const struct lod_object_facts facts = {.bytes = FILE_BYTES, .key = key};
    struct lod_object *object = NULL;

    cr_assert_eq(lod_object_open_known(store, "records/x", &facts, &object), 0);
    return object;
}

static inline void mount(struct tiered *t, uint64_t bytes_max)
{
    const struct lod_tier_settings settings = {.folder = t->folder, .bytes_max = bytes_max};
    struct lod_store *inner = NULL;
    struct lod_why why = {.text = ""};

    cr_assert_eq(lod_store_open(t->f.folder, &inner), 0);
    cr_assert_eq(lod_tier_create(&settings, (struct lod_id){1, 2}, inner, &t->store, &why), 0, "%s",
                 why.text);
    t->object = open_record(t->store, KEY);
    await_sum(t);
}

static inline void unmount(struct tiered *t)
{
    lod_object_close(t->object);
    lod_store_close(t->store);
}

static inline struct tiered begin(uint64_t bytes_max)
{
    struct tiered t = {.f = fixture_create()};
    int fd = openat(t.f.records_fd, "x", O_RDWR | O_CREAT, 0644);

    t.truth = malloc(FILE_BYTES);
    t.memory = aligned_alloc(LOD_LOAD_ALIGN, FILE_BYTES / 4096 * 4096 + 4096);
    for (size_t i = 0; i < FILE_BYTES; i++) {
        t.truth[i] = (uint8_t)(i * 2654435761u >> 19);
    }
    cr_assert_eq(write(fd, t.truth, FILE_BYTES), (ssize_t)FILE_BYTES);
    close(fd);
    snprintf(t.folder, sizeof(t.folder), "%s/tier", t.f.folder);
    cr_assert_eq(mkdir(t.folder, 0700), 0);
    mount(&t, bytes_max);
    return t;
}

static inline void end(struct tiered *t)
{
    unmount(t);
    fixture_destroy(&t->f);
    free(t->truth);
    free(t->memory);
}

/* Loads a range, checks it, and returns how much of it came from the tier. */
static inline uint64_t load(struct tiered *t, uint64_t offset, size_t bytes)
{
    struct lod_read_time time = {0};

    cr_assert_eq(lod_object_load(t->object, offset, t->memory, bytes, LOD_READ_DEMAND, 1, &time),
                 0);
    const size_t there = offset + bytes > FILE_BYTES ? (size_t)(FILE_BYTES - offset) : bytes;
    cr_assert_eq(memcmp(t->memory, t->truth + offset, there), 0);
    return time.copied_bytes;
}

static inline void offer(struct tiered *t, uint64_t offset, size_t bytes)
{
    lod_object_offer(t->object, offset, t->truth + offset, bytes);
}

static inline char *slice(struct tiered *t, unsigned n, char name[160])
{
    snprintf(name, 160, "%s/%016x%016x/12/12ab000000000034.%u", t->folder, 2, 1, n);
    return name;
}

static inline off_t slice_bytes(struct tiered *t, unsigned n)
{
    char name[160];
    struct stat st;

    return stat(slice(t, n, name), &st) ? -1 : st.st_size;
}

#endif
