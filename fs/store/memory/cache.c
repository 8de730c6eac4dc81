/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A single-flight table and, beside each of its shards, a ring for the hand of CLOCK, both under
 * the shard's lock. All shards share one byte count, so that a limit smaller than a shard's share
 * still keeps what fits. Locks are never nested: a thread that needs room visits the shards one by
 * one with its own unlocked.
 *
 * An entry is LOADING (in the table only), then READY or FAILED (in the table and the ring, charged
 * to the limit). It is freed immediately if there is no room, or after an error of
 * lod_error_is_temporary. Then each waiter makes the value for itself.
 */
#include "memory/cache.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define SWEEPS 2u /* over all shards: the first may find only entries touched since the last */

struct entry {
    struct lod_flight flight;     /* first */
    struct entry *before, *after; /* in the ring */
    struct lod_blob *blob;        /* READY: one reference */
    bool touched;                 /* referenced since CLOCK last passed */
};

/* Guarded by the lock of the table's shard of the same number. */
struct ring {
    struct entry *hand; /* NULL: empty */
    uint64_t entries;
    uint64_t evictions, filled_bytes;
};

struct lod_cache {
    struct lod_flight_table table;
    struct ring rings[LOD_FLIGHT_SHARDS];
    struct lod_byte_limit *limit; /* `own`, or shared with others */
    struct lod_byte_limit own;
    lod_cache_relief relief; /* NULL: no other holder shares the limit */
    void *relief_ctx;
    atomic_size_t bytes; /* bytes of the limit that are charged to this cache */
};

/*
 * The memory of a kept entry besides its bytes: the entry, a plain blob's head, its share of a
 * table that is at least half full, and the allocator's heads.
 */
#define ENTRY_BYTES (sizeof(struct entry) + sizeof(struct lod_blob) + 2 * sizeof(void *) + 32)

static size_t charge_of(const struct lod_blob *blob)
{
    return ENTRY_BYTES + (blob ? blob->bytes + blob->idle : 0);
}

/* ----------------------------------------------------------------------------------- the ring */

/* Adds an entry behind the hand, so that the hand visits it last. */
static void ring_add(struct ring *ring, struct entry *entry)
{
    if (!ring->hand) {
        entry->before = entry->after = entry;
        ring->hand = entry;
    } else {
        entry->after = ring->hand;
        entry->before = ring->hand->before;
        entry->before->after = entry;
        entry->after->before = entry;
    }
    ring->entries++;
}

static void ring_remove(struct ring *ring, struct entry *entry)
{
    if (ring->hand == entry) {
        ring->hand = entry->after == entry ? NULL : entry->after;
    }
    entry->before->after = entry->after;
    entry->after->before = entry->before;
    ring->entries--;
}

/* An entry with one reference can be evicted. Only the cache adds a second one, and only under this
 * lock. */
static bool may_evict(const struct entry *entry)
{
    return !entry->blob || atomic_load_explicit(&entry->blob->refs, memory_order_acquire) == 1;
}

static void destroy_entries(struct entry *entry)
{
    while (entry) {
        struct entry *next = entry->after;
        lod_blob_unref(entry->blob);
        free(entry);
        entry = next;
    }
}

/* Evicts until `wanted` bytes are free or the hand has made one lap. Returns the bytes that were
 * freed. They stay charged to the limit. */
static size_t evict(struct lod_cache *cache, size_t number, size_t wanted)
{
    struct lod_flight_shard *shard = &cache->table.shards[number];
    struct ring *ring = &cache->rings[number];
    struct entry *dead = NULL;
    size_t freed = 0;

    pthread_mutex_lock(&shard->lock);
    for (uint64_t left = ring->entries; left && freed < wanted; left--) {
        struct entry *entry = ring->hand;
        ring->hand = entry->after;
        if (entry->touched || !may_evict(entry)) {
            entry->touched = false;
            continue;
        }
        ring_remove(ring, entry);
        lod_flight_unlink(shard, &entry->flight);
        ring->evictions++;
        freed += charge_of(entry->blob);
        entry->after = dead;
        dead = entry;
    }
    pthread_mutex_unlock(&shard->lock);
    destroy_entries(dead);
    return freed;
}

/* ---------------------------------------------------------------------------------- the limit */

static bool charge(struct lod_cache *cache, size_t bytes)
{
    bool taken = lod_byte_limit_take(cache->limit, bytes);

    if (taken) {
        atomic_fetch_add(&cache->bytes, bytes);
    }
    return taken;
}

static void discharge(struct lod_cache *cache, size_t bytes)
{
    atomic_fetch_sub(&cache->bytes, bytes);
    lod_byte_limit_release(cache->limit, bytes);
}

/* Charges `bytes`. If necessary evicts first: from other holders, then from shard `own`, then from
 * the other shards in turn. */
static bool reserve(struct lod_cache *cache, size_t own, size_t bytes)
{
    bool done = charge(cache, bytes), possible = bytes <= cache->limit->bytes_max;

    if (!done && possible && cache->relief) {
        cache->relief(cache->relief_ctx, bytes);
        done = charge(cache, bytes);
    }
    for (size_t i = 0; !done && possible && i < SWEEPS * LOD_FLIGHT_SHARDS; i++) {
        discharge(cache, evict(cache, (own + i) % LOD_FLIGHT_SHARDS, bytes));
        done = charge(cache, bytes);
    }
    return done;
}

void lod_cache_shrink(struct lod_cache *cache, size_t bytes)
{
    size_t freed = 0;

    for (size_t i = 0; freed < bytes && i < SWEEPS * LOD_FLIGHT_SHARDS; i++) {
        size_t more = evict(cache, i % LOD_FLIGHT_SHARDS, bytes - freed);
        discharge(cache, more);
        freed += more;
    }
}

/* ----------------------------------------------------------------------------------- one lookup */

/*
 * Makes the value of `entry`, which this thread has put into the table. The lock is held on entry
 * and released on return.
 */
static int make(struct lod_cache *cache, size_t number, struct entry *entry, lod_cache_fill fill,
                void *ctx, struct lod_blob **ret_blob)
{
    struct lod_flight_shard *shard = &cache->table.shards[number];
    struct ring *ring = &cache->rings[number];
    struct lod_blob *blob = NULL;

    shard->misses++;
    pthread_mutex_unlock(&shard->lock);
    int error = fill(ctx, entry->flight.key, &blob);
    assert(error <= 0 && !error == !!blob);
    bool kept = reserve(cache, number, charge_of(blob));

    pthread_mutex_lock(&shard->lock);
    ring->filled_bytes += blob ? blob->bytes : 0;
    lod_flight_complete(shard, &entry->flight, error);
    if (kept && entry->flight.linked) {
        entry->blob = blob ? lod_blob_ref(blob) : NULL;
        ring_add(ring, entry);
        entry = NULL;
    } else if (entry->flight.linked) {
        lod_flight_unlink(shard, &entry->flight);
    }
    pthread_mutex_unlock(&shard->lock);
    if (entry && kept) {
        discharge(cache, charge_of(blob));
    }
    free(entry);
    if (!error) {
        *ret_blob = blob;
    }
    return error;
}

/* Returns the blob or the error of an entry that is not LOADING. The lock is held. */
static int take(struct lod_flight_shard *shard, struct entry *entry, struct lod_blob **ret_blob)
{
    shard->hits++;
    if (entry->flight.state == LOD_FLIGHT_FAILED) {
        return entry->flight.error;
    }
    entry->touched = true;
    *ret_blob = lod_blob_ref(entry->blob);
    return 0;
}

/* Links a new entry in place of `stale`, which may be NULL. Returns NULL if memory is exhausted.
 * The lock is held. */
static struct entry *begin(struct lod_cache *cache, size_t number, struct lod_key key,
                           struct entry *stale)
{
    struct lod_flight_shard *shard = &cache->table.shards[number];
    struct entry *entry = stale ? stale : calloc(1, sizeof(*entry));

    if (stale) {
        ring_remove(&cache->rings[number], stale);
        lod_flight_unlink(shard, &stale->flight);
        discharge(cache, charge_of(NULL));
    }
    if (entry) {
        entry->flight.key = key;
        lod_flight_link(shard, &entry->flight);
    }
    return entry;
}

int lod_cache_get(struct lod_cache *cache, struct lod_key key, lod_cache_fill fill, void *ctx,
                  struct lod_blob **ret_blob)
{
    const size_t number = lod_flight_shard_of(key);
    struct lod_flight_shard *shard = &cache->table.shards[number];
    struct lod_flight *flight;

    pthread_mutex_lock(&shard->lock);
    int error = lod_flight_settle(shard, key, &flight);
    struct entry *entry = (struct entry *)flight;
    if (!error && entry && !lod_flight_is_stale(&entry->flight)) {
        error = take(shard, entry, ret_blob);
        pthread_mutex_unlock(&shard->lock);
        return error;
    }
    entry = error ? NULL : begin(cache, number, key, entry);
    if (!entry) {
        pthread_mutex_unlock(&shard->lock);
        return error ? error : -ENOMEM;
    }
    return make(cache, number, entry, fill, ctx, ret_blob);
}

bool lod_cache_has(struct lod_cache *cache, struct lod_key key)
{
    struct lod_flight_shard *shard = &cache->table.shards[lod_flight_shard_of(key)];

    pthread_mutex_lock(&shard->lock);
    const bool has = lod_flight_has(shard, key);
    pthread_mutex_unlock(&shard->lock);
    return has;
}

size_t lod_cache_bytes_max(const struct lod_cache *cache)
{
    return atomic_load_explicit(&cache->limit->bytes_max, memory_order_relaxed);
}

/* --------------------------------------------------------------------------------- the rest */

static int create(const struct lod_cache *as, struct lod_cache **ret_cache)
{
    struct lod_cache *cache = aligned_alloc(_Alignof(struct lod_cache), sizeof(*cache));

    if (!cache) {
        return -ENOMEM;
    }
    *cache = *as;
    cache->limit = as->limit ? as->limit : &cache->own;
    int error = lod_flight_init(&cache->table);
    if (error) {
        lod_cache_destroy(cache);
        return error;
    }
    *ret_cache = cache;
    return 0;
}

int lod_cache_create(size_t bytes_max, struct lod_cache **ret_cache)
{
    return create(&(struct lod_cache){.own.bytes_max = bytes_max}, ret_cache);
}

int lod_cache_create_in(struct lod_byte_limit *limit, lod_cache_relief relief, void *ctx,
                        struct lod_cache **ret_cache)
{
    return create(&(struct lod_cache){.limit = limit, .relief = relief, .relief_ctx = ctx},
                  ret_cache);
}

struct lod_cache *lod_cache_destroy(struct lod_cache *cache)
{
    for (unsigned i = 0; cache && i < LOD_FLIGHT_SHARDS; i++) {
        struct ring *ring = &cache->rings[i];
        if (ring->hand) {
            ring->hand->before->after = NULL;
            destroy_entries(ring->hand);
        }
    }
    if (cache) {
        lod_flight_finish(&cache->table);
        lod_byte_limit_release(cache->limit, atomic_load(&cache->bytes));
    }
    free(cache);
    return NULL;
}

struct lod_cache_stats lod_cache_stats(struct lod_cache *cache)
{
    struct lod_cache_stats stats = {.bytes = atomic_load(&cache->bytes)};

    for (unsigned i = 0; i < LOD_FLIGHT_SHARDS; i++) {
        struct lod_flight_shard *shard = &cache->table.shards[i];
        const struct ring *ring = &cache->rings[i];
        pthread_mutex_lock(&shard->lock);
        stats.hits += shard->hits;
        stats.misses += shard->misses;
        stats.evictions += ring->evictions;
        stats.filled_bytes += ring->filled_bytes;
        pthread_mutex_unlock(&shard->lock);
    }
    return stats;
}
