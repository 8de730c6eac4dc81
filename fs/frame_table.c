/* SPDX-License-Identifier: Apache-2.0 */
/* Chained tables under 64 locks; see frame_table.h. */
#include "frame_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "clock.h"

#define BUCKETS_MIN 64u

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

struct lod_frame_shard *lod_frame_shard(struct lod_frame_table *table, struct lod_key key)
{
    return &table->shards[mix(key.high) % LOD_FRAME_SHARDS];
}

static struct lod_frame_entry **bucket_of(struct lod_frame_shard *shard, struct lod_key key)
{
    return &shard->buckets[mix(key.high * 0x9e3779b97f4a7c15u ^ key.low) &
                           (shard->buckets_count - 1)];
}

struct lod_frame_entry *lod_frame_find(struct lod_frame_shard *shard, struct lod_key key)
{
    struct lod_frame_entry *entry = *bucket_of(shard, key);

    while (entry && (entry->key.low != key.low || entry->key.high != key.high)) {
        entry = entry->chain;
    }
    return entry;
}

/* Doubles the table; without memory for that the chains just grow longer. */
static void grow(struct lod_frame_shard *shard)
{
    uint64_t old_count = shard->buckets_count;
    struct lod_frame_entry **old = shard->buckets;
    struct lod_frame_entry **buckets = calloc(2 * old_count, sizeof(struct lod_frame_entry *));

    if (!buckets) {
        return;
    }
    shard->buckets = buckets;
    shard->buckets_count = 2 * old_count;
    for (uint64_t i = 0; i < old_count; i++) {
        for (struct lod_frame_entry *entry = old[i], *next; entry; entry = next) {
            struct lod_frame_entry **bucket = bucket_of(shard, entry->key);
            next = entry->chain;
            entry->chain = *bucket;
            *bucket = entry;
        }
    }
    free(old);
}

void lod_frame_link(struct lod_frame_shard *shard, struct lod_frame_entry *entry)
{
    if (shard->entries == shard->buckets_count) {
        grow(shard);
    }
    struct lod_frame_entry **bucket = bucket_of(shard, entry->key);
    entry->chain = *bucket;
    entry->linked = true;
    *bucket = entry;
    shard->entries++;
}

void lod_frame_unlink(struct lod_frame_shard *shard, struct lod_frame_entry *entry)
{
    struct lod_frame_entry **link = bucket_of(shard, entry->key);

    while (*link != entry) {
        link = &(*link)->chain;
    }
    *link = entry->chain;
    entry->chain = NULL;
    entry->linked = false;
    shard->entries--;
}

int lod_frame_await(struct lod_frame_shard *shard)
{
    const struct timespec until = lod_clock_until(LOD_CACHE_WAIT_NS);

    shard->waiters++;
    int late = pthread_cond_timedwait(&shard->made, &shard->lock, &until);
    shard->waiters--;
    return late ? -ETIMEDOUT : 0;
}

/* Frames of one item, which lie side by side, share a shard: its lock is taken once for them. */
uint64_t lod_frame_table_forget(void *ctx, struct lod_chunk *chunk)
{
    struct lod_frame_entry *entry = atomic_load(&chunk->entries), *next;
    struct lod_frame_shard *locked = NULL;
    uint64_t count = 0;

    for (; entry; entry = next, count++) {
        struct lod_frame_shard *shard = lod_frame_shard(ctx, entry->key);
        next = entry->next;
        if (shard != locked) {
            if (locked) {
                pthread_mutex_unlock(&locked->lock);
            }
            pthread_mutex_lock(&shard->lock);
            locked = shard;
        }
        assert(entry->state != LOD_FRAME_MAKING);
        if (entry->linked) {
            lod_frame_unlink(shard, entry);
        }
    }
    if (locked) {
        pthread_mutex_unlock(&locked->lock);
    }
    return count;
}

void lod_frame_table_counts(struct lod_frame_table *table, uint64_t *ret_hits, uint64_t *ret_misses)
{
    *ret_hits = *ret_misses = 0;
    for (unsigned i = 0; i < LOD_FRAME_SHARDS; i++) {
        struct lod_frame_shard *shard = &table->shards[i];
        pthread_mutex_lock(&shard->lock);
        *ret_hits += shard->hits;
        *ret_misses += shard->misses;
        pthread_mutex_unlock(&shard->lock);
    }
}

static int shard_init(struct lod_frame_shard *shard)
{
    *shard = (struct lod_frame_shard){.buckets_count = BUCKETS_MIN};
    shard->buckets = calloc(BUCKETS_MIN, sizeof(struct lod_frame_entry *));
    if (!shard->buckets) {
        return -ENOMEM;
    }
    pthread_mutex_init(&shard->lock, NULL);
    lod_clock_cond_init(&shard->made);
    return 0;
}

int lod_frame_table_init(struct lod_frame_table *table)
{
    int error = 0;

    for (unsigned i = 0; i < LOD_FRAME_SHARDS; i++) {
        int failed = shard_init(&table->shards[i]);
        error = error ? error : failed;
    }
    return error;
}

void lod_frame_table_finish(struct lod_frame_table *table)
{
    for (unsigned i = 0; i < LOD_FRAME_SHARDS; i++) {
        struct lod_frame_shard *shard = &table->shards[i];
        if (shard->buckets) {
            free(shard->buckets);
            pthread_cond_destroy(&shard->made);
            pthread_mutex_destroy(&shard->lock);
        }
    }
}
