/* SPDX-License-Identifier: Apache-2.0 */
/* Table and ring of one shard; see cache_shard.h. */
#include "cache_shard.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "clock.h"

#define BUCKETS_MIN 16u

/* Multiply and fold twice. */
uint64_t lod_key_hash(struct lod_key key)
{
    uint64_t h = key.high * 0x9e3779b97f4a7c15u ^ key.low;

    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

static struct lod_cache_entry **bucket_of(struct lod_cache_shard *shard, uint64_t hash)
{
    return &shard->buckets[hash / LOD_CACHE_SHARDS & (shard->buckets_count - 1)];
}

struct lod_cache_entry *lod_shard_find(struct lod_cache_shard *shard, uint64_t hash,
                                       struct lod_key key)
{
    struct lod_cache_entry *entry = *bucket_of(shard, hash);

    while (entry && (entry->key.low != key.low || entry->key.high != key.high)) {
        entry = entry->chain;
    }
    return entry;
}

/* Doubles the table; without memory for that the chains just grow longer. */
static void grow(struct lod_cache_shard *shard)
{
    uint64_t old_count = shard->buckets_count;
    struct lod_cache_entry **old = shard->buckets;
    struct lod_cache_entry **buckets = calloc(2 * old_count, sizeof(struct lod_cache_entry *));

    if (!buckets) {
        return;
    }
    shard->buckets = buckets;
    shard->buckets_count = 2 * old_count;
    for (uint64_t i = 0; i < old_count; i++) {
        for (struct lod_cache_entry *entry = old[i], *next; entry; entry = next) {
            struct lod_cache_entry **bucket = bucket_of(shard, entry->hash);
            next = entry->chain;
            entry->chain = *bucket;
            *bucket = entry;
        }
    }
    free(old);
}

struct lod_cache_entry *lod_shard_insert(struct lod_cache_shard *shard, uint64_t hash,
                                         struct lod_key key)
{
    struct lod_cache_entry *entry = calloc(1, sizeof(*entry));

    if (!entry) {
        return NULL;
    }
    if (shard->entries == shard->buckets_count) {
        grow(shard);
    }
    struct lod_cache_entry **bucket = bucket_of(shard, hash);
    entry->key = key;
    entry->hash = hash;
    entry->state = LOD_MAKING;
    entry->chain = *bucket;
    *bucket = entry;
    shard->entries++;
    return entry;
}

void lod_shard_detach(struct lod_cache_shard *shard, struct lod_cache_entry *entry)
{
    struct lod_cache_entry **link = bucket_of(shard, entry->hash);

    while (*link != entry) {
        link = &(*link)->chain;
    }
    *link = entry->chain;
    entry->chain = NULL;
    entry->detached = true;
    shard->entries--;
}

/* Behind the hand, so that it is the last one the hand comes to. */
void lod_ring_add(struct lod_cache_shard *shard, struct lod_cache_entry *entry)
{
    if (!shard->hand) {
        entry->before = entry->after = entry;
        shard->hand = entry;
    } else {
        entry->after = shard->hand;
        entry->before = shard->hand->before;
        entry->before->after = entry;
        entry->after->before = entry;
    }
    shard->ring++;
}

void lod_ring_remove(struct lod_cache_shard *shard, struct lod_cache_entry *entry)
{
    if (shard->hand == entry) {
        shard->hand = entry->after == entry ? NULL : entry->after;
    }
    entry->before->after = entry->after;
    entry->after->before = entry->before;
    entry->before = entry->after = NULL;
    shard->ring--;
}

void lod_entry_destroy(struct lod_cache_entry *entry)
{
    lod_blob_unref(entry->blob);
    free(entry);
}

int lod_shard_init(struct lod_cache_shard *shard)
{
    shard->buckets = calloc(BUCKETS_MIN, sizeof(struct lod_cache_entry *));
    if (!shard->buckets) {
        return -ENOMEM;
    }
    shard->buckets_count = BUCKETS_MIN;
    pthread_mutex_init(&shard->lock, NULL);
    lod_clock_cond_init(&shard->made);
    return 0;
}

void lod_shard_finish(struct lod_cache_shard *shard)
{
    if (!shard->buckets) {
        return;
    }
    for (uint64_t i = 0; i < shard->buckets_count; i++) {
        for (struct lod_cache_entry *entry = shard->buckets[i], *next; entry; entry = next) {
            next = entry->chain;
            assert(entry->state != LOD_MAKING);
            lod_entry_destroy(entry);
        }
    }
    free(shard->buckets);
    pthread_cond_destroy(&shard->made);
    pthread_mutex_destroy(&shard->lock);
}
