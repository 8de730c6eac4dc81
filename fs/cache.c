/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 64 shards, each a mutex, a chained table and a CLOCK ring; one byte count shared by all, so that
 * a budget smaller than a shard's share still keeps what fits. Locks are never nested: who needs
 * room while it publishes visits the shards one by one with its own unlocked.
 *
 * An entry is MAKING (in the table only), then READY or BAD (in the table and the ring, charged),
 * or it leaves the table at once (no room, or a failure not worth remembering) and lives on, for
 * its waiters alone, until the last of them has looked.
 */
#include "cache.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define SHARDS      64u
#define BUCKETS_MIN 16u
#define SWEEPS      2u /* over all shards: the first may only find entries touched since the last */
#define SECOND_NS   1000000000ull

enum state { MAKING, READY, BAD };

/* Guarded by the lock of its shard. */
struct entry {
    struct lod_key key;
    struct entry *chain;          /* next in its bucket */
    struct entry *before, *after; /* in the ring; NULL: not in it */
    struct lod_blob *blob;        /* READY: one reference */
    uint64_t bad_until_ns;        /* BAD */
    int error;                    /* what the last fill gave */
    unsigned waiters;             /* threads that hold this pointer while they wait */
    enum state state;
    bool touched;  /* asked for since the hand passed */
    bool detached; /* no longer in the table: freed by the last waiter */
};

/* What a kept entry costs besides its bytes: itself, a plain blob's head, its share of a table at
 * most half empty, and the allocator's heads. */
#define ENTRY_BYTES (sizeof(struct entry) + sizeof(struct lod_blob) + 2 * sizeof(void *) + 32)

struct shard {
    _Alignas(64) pthread_mutex_t lock;
    pthread_cond_t made;    /* some entry is no longer MAKING */
    struct entry **buckets; /* guarded by lock, like all below */
    uint64_t buckets_count; /* a power of two */
    uint64_t entries;       /* in the table */
    struct entry *hand;     /* of the ring; NULL: empty */
    uint64_t ring;          /* entries in it */
    uint64_t hits, misses, evictions;
};

struct lod_cache {
    struct shard shards[SHARDS];
    size_t bytes_max;
    atomic_size_t bytes; /* charged; never above bytes_max */
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* Multiply and fold twice: keys are small numbers in fixed fields, so all bits have to be mixed. */
static uint64_t hash(struct lod_key key)
{
    uint64_t h = key.high * 0x9e3779b97f4a7c15u ^ key.low;

    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

static struct shard *shard_of(struct lod_cache *cache, struct lod_key key)
{
    return &cache->shards[hash(key) % SHARDS];
}

static struct entry **bucket_of(struct shard *shard, struct lod_key key)
{
    return &shard->buckets[hash(key) / SHARDS & (shard->buckets_count - 1)];
}

static struct entry *find(struct shard *shard, struct lod_key key)
{
    struct entry *entry = *bucket_of(shard, key);

    while (entry && (entry->key.low != key.low || entry->key.high != key.high)) {
        entry = entry->chain;
    }
    return entry;
}

/* Doubles the table; without memory for that the chains just grow longer. */
static void grow(struct shard *shard)
{
    uint64_t old_count = shard->buckets_count;
    struct entry **old = shard->buckets;
    struct entry **buckets = calloc(2 * old_count, sizeof(struct entry *));

    if (!buckets) {
        return;
    }
    shard->buckets = buckets;
    shard->buckets_count = 2 * old_count;
    for (uint64_t i = 0; i < old_count; i++) {
        for (struct entry *entry = old[i], *next; entry; entry = next) {
            struct entry **bucket = bucket_of(shard, entry->key);
            next = entry->chain;
            entry->chain = *bucket;
            *bucket = entry;
        }
    }
    free(old);
}

static struct entry *insert(struct shard *shard, struct lod_key key)
{
    struct entry *entry = calloc(1, sizeof(*entry));

    if (!entry) {
        return NULL;
    }
    if (shard->entries == shard->buckets_count) {
        grow(shard);
    }
    struct entry **bucket = bucket_of(shard, key);
    entry->key = key;
    entry->state = MAKING;
    entry->chain = *bucket;
    *bucket = entry;
    shard->entries++;
    return entry;
}

static void detach(struct shard *shard, struct entry *entry)
{
    struct entry **link = bucket_of(shard, entry->key);

    while (*link != entry) {
        link = &(*link)->chain;
    }
    *link = entry->chain;
    entry->chain = NULL;
    entry->detached = true;
    shard->entries--;
}

/* Behind the hand, so that it is the last one the hand comes to. */
static void ring_add(struct shard *shard, struct entry *entry)
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

static void ring_remove(struct shard *shard, struct entry *entry)
{
    if (shard->hand == entry) {
        shard->hand = entry->after == entry ? NULL : entry->after;
    }
    entry->before->after = entry->after;
    entry->after->before = entry->before;
    entry->before = entry->after = NULL;
    shard->ring--;
}

static size_t charge_of(const struct entry *entry)
{
    return ENTRY_BYTES + (entry->blob ? entry->blob->bytes : 0);
}

static void destroy_entry(struct entry *entry)
{
    lod_blob_unref(entry->blob);
    free(entry);
}

/* Only the cache can turn 1 reference into 2, and only under this lock: 1 stays 1. */
static bool may_evict(const struct entry *entry)
{
    return entry->waiters == 0 &&
           (!entry->blob || atomic_load_explicit(&entry->blob->refs, memory_order_acquire) == 1);
}

/* One lap of the hand, or until `wanted` bytes are free. */
static void evict(struct lod_cache *cache, struct shard *shard, size_t wanted)
{
    struct entry *dead = NULL;
    size_t freed = 0;

    pthread_mutex_lock(&shard->lock);
    for (uint64_t left = shard->ring; left && freed < wanted; left--) {
        struct entry *entry = shard->hand;
        shard->hand = entry->after;
        if (entry->touched || !may_evict(entry)) {
            entry->touched = false;
            continue;
        }
        ring_remove(shard, entry);
        detach(shard, entry);
        shard->evictions++;
        freed += charge_of(entry);
        entry->chain = dead;
        dead = entry;
    }
    pthread_mutex_unlock(&shard->lock);
    while (dead) {
        struct entry *next = dead->chain;
        destroy_entry(dead);
        dead = next;
    }
    atomic_fetch_sub(&cache->bytes, freed);
}

static bool charge(struct lod_cache *cache, size_t bytes)
{
    size_t held = atomic_load(&cache->bytes);

    do {
        if (bytes > cache->bytes_max || held > cache->bytes_max - bytes) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&cache->bytes, &held, held + bytes));
    return true;
}

/* Charges `bytes`, after evicting if need be: own shard first, then the others in turn. */
static bool reserve(struct lod_cache *cache, const struct shard *own, size_t bytes)
{
    size_t first = (size_t)(own - cache->shards);
    bool done = charge(cache, bytes);

    for (size_t i = 0; !done && bytes <= cache->bytes_max && i < SWEEPS * SHARDS; i++) {
        evict(cache, &cache->shards[(first + i) % SHARDS], bytes);
        done = charge(cache, bytes);
    }
    return done;
}

/* Out of memory or interrupted says nothing about the bytes: the next one may try again. */
static bool worth_remembering(int error)
{
    return error != -ENOMEM && error != -EINTR;
}

/* Ends MAKING. `kept`: charge_of(entry) is charged. The lock is held. */
static void publish(struct shard *shard, struct entry *entry, bool kept)
{
    entry->state = entry->error ? BAD : READY;
    entry->bad_until_ns = entry->error ? now_ns() + LOD_CACHE_BAD_NS : 0;
    entry->touched = false;
    if (kept) {
        ring_add(shard, entry);
    } else {
        detach(shard, entry);
    }
    if (entry->waiters) {
        pthread_cond_broadcast(&shard->made);
    }
}

/* Fills a MAKING entry of this thread. The lock is held on entry, not on return. */
static int make(struct lod_cache *cache, struct shard *shard, struct entry *entry,
                lod_cache_fill fill, void *ctx, struct lod_blob **ret_blob)
{
    struct lod_blob *blob = NULL;

    shard->misses++;
    pthread_mutex_unlock(&shard->lock);
    int error = fill(ctx, entry->key, &blob);
    assert(error <= 0 && !error == !!blob);
    size_t bytes = ENTRY_BYTES + (blob ? blob->bytes : 0);
    bool kept = worth_remembering(error) && reserve(cache, shard, bytes);

    pthread_mutex_lock(&shard->lock);
    entry->error = error;
    entry->blob = blob ? lod_blob_ref(blob) : NULL;
    publish(shard, entry, kept);
    bool unseen = !kept && entry->waiters == 0;
    pthread_mutex_unlock(&shard->lock);
    if (unseen) {
        destroy_entry(entry);
    }
    if (!error) {
        *ret_blob = blob;
    }
    return error;
}

/* What an entry that is not MAKING gives. The lock is held. */
static int take(struct entry *entry, struct lod_blob **ret_blob)
{
    if (entry->state == BAD) {
        return entry->error;
    }
    entry->touched = true;
    *ret_blob = lod_blob_ref(entry->blob);
    return 0;
}

/* Waits for another maker. The lock is held on entry, not on return. */
static int await(struct shard *shard, struct entry *entry, struct lod_blob **ret_blob)
{
    uint64_t until_ns = now_ns() + LOD_CACHE_WAIT_NS;
    struct timespec until = {.tv_sec = (time_t)(until_ns / SECOND_NS),
                             .tv_nsec = (long)(until_ns % SECOND_NS)};
    int late = 0;

    entry->waiters++;
    while (entry->state == MAKING && !late) {
        late = pthread_cond_timedwait(&shard->made, &shard->lock, &until);
    }
    entry->waiters--;
    shard->hits++;
    int error = entry->state == MAKING ? -EIO : take(entry, ret_blob);
    bool last = entry->detached && entry->waiters == 0;
    pthread_mutex_unlock(&shard->lock);
    if (last) {
        destroy_entry(entry);
    }
    return error;
}

/* A failure too old to be believed is made again in place. */
static void renew(struct lod_cache *cache, struct shard *shard, struct entry *entry)
{
    ring_remove(shard, entry);
    atomic_fetch_sub(&cache->bytes, charge_of(entry));
    entry->state = MAKING;
}

int lod_cache_get(struct lod_cache *cache, struct lod_key key, lod_cache_fill fill, void *ctx,
                  struct lod_blob **ret_blob)
{
    struct shard *shard = shard_of(cache, key);

    pthread_mutex_lock(&shard->lock);
    struct entry *entry = find(shard, key);
    if (entry && entry->state == MAKING) {
        return await(shard, entry, ret_blob);
    }
    if (entry && (entry->state == READY || now_ns() < entry->bad_until_ns)) {
        int error = take(entry, ret_blob);
        shard->hits++;
        pthread_mutex_unlock(&shard->lock);
        return error;
    }
    if (entry) {
        renew(cache, shard, entry);
    } else {
        entry = insert(shard, key);
    }
    if (!entry) {
        pthread_mutex_unlock(&shard->lock);
        return -ENOMEM;
    }
    return make(cache, shard, entry, fill, ctx, ret_blob);
}

static int shard_init(struct shard *shard)
{
    pthread_condattr_t monotonic;

    shard->buckets = calloc(BUCKETS_MIN, sizeof(struct entry *));
    if (!shard->buckets) {
        return -ENOMEM;
    }
    shard->buckets_count = BUCKETS_MIN;
    pthread_mutex_init(&shard->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&shard->made, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return 0;
}

static void shard_finish(struct shard *shard)
{
    if (!shard->buckets) {
        return;
    }
    for (uint64_t i = 0; i < shard->buckets_count; i++) {
        for (struct entry *entry = shard->buckets[i], *next; entry; entry = next) {
            next = entry->chain;
            assert(entry->state != MAKING);
            destroy_entry(entry);
        }
    }
    free(shard->buckets);
    pthread_cond_destroy(&shard->made);
    pthread_mutex_destroy(&shard->lock);
}

int lod_cache_create(size_t bytes_max, struct lod_cache **ret_cache)
{
    struct lod_cache *cache = aligned_alloc(_Alignof(struct lod_cache), sizeof(*cache));

    if (!cache) {
        return -ENOMEM;
    }
    *cache = (struct lod_cache){.bytes_max = bytes_max};
    for (unsigned i = 0; i < SHARDS; i++) {
        int error = shard_init(&cache->shards[i]);
        if (error) {
            lod_cache_destroy(cache);
            return error;
        }
    }
    *ret_cache = cache;
    return 0;
}

struct lod_cache *lod_cache_destroy(struct lod_cache *cache)
{
    for (unsigned i = 0; cache && i < SHARDS; i++) {
        shard_finish(&cache->shards[i]);
    }
    free(cache);
    return NULL;
}

struct lod_cache_stats lod_cache_stats(struct lod_cache *cache)
{
    struct lod_cache_stats stats = {.bytes = atomic_load(&cache->bytes)};

    for (unsigned i = 0; i < SHARDS; i++) {
        struct shard *shard = &cache->shards[i];
        pthread_mutex_lock(&shard->lock);
        stats.hits += shard->hits;
        stats.misses += shard->misses;
        stats.evictions += shard->evictions;
        pthread_mutex_unlock(&shard->lock);
    }
    return stats;
}
