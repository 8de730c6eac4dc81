/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 64 shards, each a mutex, a chained table and a CLOCK ring; one byte count shared by all, so that
 * a budget smaller than a shard's share still keeps what fits. Locks are never nested: who needs
 * room while it publishes visits the shards one by one with its own unlocked.
 *
 * An entry is LOD_MAKING (in the table only), then LOD_READY or LOD_BAD (in the table and the ring,
 * charged), or it leaves the table at once (no room, or a failure not worth remembering) and lives
 * on, for its waiters alone, until the last of them has looked.
 */
#include "cache_shard.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "clock.h"

#define SWEEPS 2u /* over all shards: the first may only find entries touched since the last */

struct lod_cache {
    struct lod_cache_shard shards[LOD_CACHE_SHARDS];
    struct lod_room *room; /* `own`, or shared with others */
    struct lod_room own;
    lod_cache_relief relief; /* NULL: nobody else holds any of the room */
    void *relief_ctx;
    atomic_size_t bytes; /* of the room, charged to this cache */
};

static size_t charge_of(const struct lod_blob *blob)
{
    return LOD_ENTRY_BYTES + (blob ? blob->bytes + blob->idle : 0);
}

/* Only the cache can turn 1 reference into 2, and only under this lock: 1 stays 1. */
static bool may_evict(const struct lod_cache_entry *entry)
{
    return entry->waiters == 0 &&
           (!entry->blob || atomic_load_explicit(&entry->blob->refs, memory_order_acquire) == 1);
}

/* One lap of the hand, or until `wanted` bytes are free. Returns how many are, still charged. */
static size_t evict(struct lod_cache_shard *shard, size_t wanted)
{
    struct lod_cache_entry *dead = NULL;
    size_t freed = 0;

    pthread_mutex_lock(&shard->lock);
    for (uint64_t left = shard->ring; left && freed < wanted; left--) {
        struct lod_cache_entry *entry = shard->hand;
        shard->hand = entry->after;
        if (entry->touched || !may_evict(entry)) {
            entry->touched = false;
            continue;
        }
        lod_ring_remove(shard, entry);
        lod_shard_detach(shard, entry);
        shard->evictions++;
        freed += charge_of(entry->blob);
        entry->chain = dead;
        dead = entry;
    }
    pthread_mutex_unlock(&shard->lock);
    while (dead) {
        struct lod_cache_entry *next = dead->chain;
        lod_entry_destroy(dead);
        dead = next;
    }
    return freed;
}

static bool charge(struct lod_cache *cache, size_t bytes)
{
    bool taken = lod_room_take(cache->room, bytes);

    if (taken) {
        atomic_fetch_add(&cache->bytes, bytes);
    }
    return taken;
}

static void discharge(struct lod_cache *cache, size_t bytes)
{
    atomic_fetch_sub(&cache->bytes, bytes);
    lod_room_give(cache->room, bytes);
}

/* Charges `bytes`, after evicting if need be: others first, own shard, then the rest in turn. */
static bool reserve(struct lod_cache *cache, const struct lod_cache_shard *own, size_t bytes)
{
    size_t first = (size_t)(own - cache->shards);
    bool done = charge(cache, bytes), possible = bytes <= cache->room->bytes_max;

    if (!done && possible && cache->relief) {
        cache->relief(cache->relief_ctx, bytes);
        done = charge(cache, bytes);
    }
    for (size_t i = 0; !done && possible && i < SWEEPS * LOD_CACHE_SHARDS; i++) {
        discharge(cache, evict(&cache->shards[(first + i) % LOD_CACHE_SHARDS], bytes));
        done = charge(cache, bytes);
    }
    return done;
}

void lod_cache_shrink(struct lod_cache *cache, size_t bytes)
{
    size_t freed = 0;

    for (size_t i = 0; freed < bytes && i < SWEEPS * LOD_CACHE_SHARDS; i++) {
        size_t more = evict(&cache->shards[i % LOD_CACHE_SHARDS], bytes - freed);
        discharge(cache, more);
        freed += more;
    }
}

/* Out of memory or interrupted says nothing about the bytes: the next one may try again. */
static bool worth_remembering(int error)
{
    return error != -ENOMEM && error != -EINTR;
}

/* Ends LOD_MAKING. `kept`: charge_of(entry->blob) is charged. The lock is held. */
static void publish(struct lod_cache_shard *shard, struct lod_cache_entry *entry, bool kept)
{
    entry->state = entry->error ? LOD_BAD : LOD_READY;
    entry->bad_until_ns = entry->error ? lod_clock_ns() + LOD_CACHE_BAD_NS : 0;
    entry->touched = false;
    if (kept) {
        lod_ring_add(shard, entry);
    } else {
        lod_shard_detach(shard, entry);
    }
    if (entry->waiters) {
        pthread_cond_broadcast(&shard->made);
    }
}

/* Fills a LOD_MAKING entry of this thread. The lock is held on entry, not on return. */
static int make(struct lod_cache *cache, struct lod_cache_shard *shard,
                struct lod_cache_entry *entry, lod_cache_fill fill, void *ctx,
                struct lod_blob **ret_blob)
{
    struct lod_blob *blob = NULL;

    shard->misses++;
    pthread_mutex_unlock(&shard->lock);
    int error = fill(ctx, entry->key, &blob);
    assert(error <= 0 && !error == !!blob);
    size_t bytes = charge_of(blob);
    bool kept = worth_remembering(error) && reserve(cache, shard, bytes);

    pthread_mutex_lock(&shard->lock);
    entry->error = error;
    entry->blob = blob ? lod_blob_ref(blob) : NULL;
    shard->filled_bytes += blob ? blob->bytes : 0;
    publish(shard, entry, kept);
    bool unseen = !kept && entry->waiters == 0;
    pthread_mutex_unlock(&shard->lock);
    if (unseen) {
        lod_entry_destroy(entry);
    }
    if (!error) {
        *ret_blob = blob;
    }
    return error;
}

/* What an entry that is not LOD_MAKING gives. The lock is held. */
static int take(struct lod_cache_entry *entry, struct lod_blob **ret_blob)
{
    if (entry->state == LOD_BAD) {
        return entry->error;
    }
    entry->touched = true;
    *ret_blob = lod_blob_ref(entry->blob);
    return 0;
}

/* Waits for another maker. The lock is held on entry, not on return. */
static int await(struct lod_cache_shard *shard, struct lod_cache_entry *entry,
                 struct lod_blob **ret_blob)
{
    const struct timespec until = lod_clock_until(LOD_CACHE_WAIT_NS);
    int late = 0;

    entry->waiters++;
    while (entry->state == LOD_MAKING && !late) {
        late = pthread_cond_timedwait(&shard->made, &shard->lock, &until);
    }
    entry->waiters--;
    shard->hits++;
    int error = entry->state == LOD_MAKING ? -EIO : take(entry, ret_blob);
    bool last = entry->detached && entry->waiters == 0;
    pthread_mutex_unlock(&shard->lock);
    if (last) {
        lod_entry_destroy(entry);
    }
    return error;
}

/* A failure too old to be believed is made again in place. */
static void renew(struct lod_cache *cache, struct lod_cache_shard *shard,
                  struct lod_cache_entry *entry)
{
    lod_ring_remove(shard, entry);
    discharge(cache, charge_of(entry->blob));
    entry->state = LOD_MAKING;
}

int lod_cache_get(struct lod_cache *cache, struct lod_key key, lod_cache_fill fill, void *ctx,
                  struct lod_blob **ret_blob)
{
    uint64_t hash = lod_key_hash(key);
    struct lod_cache_shard *shard = &cache->shards[hash % LOD_CACHE_SHARDS];

    pthread_mutex_lock(&shard->lock);
    struct lod_cache_entry *entry = lod_shard_find(shard, hash, key);
    if (entry && entry->state == LOD_MAKING) {
        return await(shard, entry, ret_blob);
    }
    if (entry && (entry->state == LOD_READY || lod_clock_ns() < entry->bad_until_ns)) {
        int error = take(entry, ret_blob);
        shard->hits++;
        pthread_mutex_unlock(&shard->lock);
        return error;
    }
    if (entry) {
        renew(cache, shard, entry);
    } else {
        entry = lod_shard_insert(shard, hash, key);
    }
    if (!entry) {
        pthread_mutex_unlock(&shard->lock);
        return -ENOMEM;
    }
    return make(cache, shard, entry, fill, ctx, ret_blob);
}

bool lod_cache_has(struct lod_cache *cache, struct lod_key key)
{
    uint64_t hash = lod_key_hash(key);
    struct lod_cache_shard *shard = &cache->shards[hash % LOD_CACHE_SHARDS];

    pthread_mutex_lock(&shard->lock);
    struct lod_cache_entry *entry = lod_shard_find(shard, hash, key);
    bool has = entry && (entry->state == LOD_MAKING || entry->state == LOD_READY);
    pthread_mutex_unlock(&shard->lock);
    return has;
}

static int create(const struct lod_cache *as, struct lod_cache **ret_cache)
{
    struct lod_cache *cache = aligned_alloc(_Alignof(struct lod_cache), sizeof(*cache));

    if (!cache) {
        return -ENOMEM;
    }
    *cache = *as;
    cache->room = as->room ? as->room : &cache->own;
    for (unsigned i = 0; i < LOD_CACHE_SHARDS; i++) {
        int error = lod_shard_init(&cache->shards[i]);
        if (error) {
            lod_cache_destroy(cache);
            return error;
        }
    }
    *ret_cache = cache;
    return 0;
}

int lod_cache_create(size_t bytes_max, struct lod_cache **ret_cache)
{
    return create(&(struct lod_cache){.own.bytes_max = bytes_max}, ret_cache);
}

int lod_cache_create_in(struct lod_room *room, lod_cache_relief relief, void *ctx,
                        struct lod_cache **ret_cache)
{
    return create(&(struct lod_cache){.room = room, .relief = relief, .relief_ctx = ctx},
                  ret_cache);
}

struct lod_cache *lod_cache_destroy(struct lod_cache *cache)
{
    for (unsigned i = 0; cache && i < LOD_CACHE_SHARDS; i++) {
        lod_shard_finish(&cache->shards[i]);
    }
    if (cache) {
        lod_room_give(cache->room, atomic_load(&cache->bytes));
    }
    free(cache);
    return NULL;
}

struct lod_cache_stats lod_cache_stats(struct lod_cache *cache)
{
    struct lod_cache_stats stats = {.bytes = atomic_load(&cache->bytes)};

    for (unsigned i = 0; i < LOD_CACHE_SHARDS; i++) {
        struct lod_cache_shard *shard = &cache->shards[i];
        pthread_mutex_lock(&shard->lock);
        stats.hits += shard->hits;
        stats.misses += shard->misses;
        stats.evictions += shard->evictions;
        stats.filled_bytes += shard->filled_bytes;
        pthread_mutex_unlock(&shard->lock);
    }
    return stats;
}
