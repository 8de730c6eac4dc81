/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One shard of the cache: a lock, a chained table of entries by key and the ring the CLOCK's hand
 * goes round. Knows no budget and makes nothing; cache.c alone uses it.
 */
#ifndef LOD_CACHE_SHARD_H
#define LOD_CACHE_SHARD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cache.h"
#include "compiler.h"

#define LOD_CACHE_SHARDS 64u

enum lod_entry_state { LOD_MAKING, LOD_READY, LOD_BAD };

/* Guarded by the lock of its shard. */
struct lod_cache_entry {
    struct lod_key key;
    uint64_t hash;
    struct lod_cache_entry *chain;          /* next in its bucket */
    struct lod_cache_entry *before, *after; /* in the ring; NULL: not in it */
    struct lod_blob *blob;                  /* LOD_READY: one reference */
    uint64_t bad_until_ns;                  /* LOD_BAD */
    int error;                              /* what the last fill gave */
    unsigned waiters;                       /* threads that hold this pointer while they wait */
    enum lod_entry_state state;
    bool touched;  /* asked for since the hand passed */
    bool detached; /* no longer in the table: freed by the last waiter */
};

/* What a kept entry costs besides its bytes: itself, a plain blob's head, its share of a table at
 * most half empty, and the allocator's heads. */
#define LOD_ENTRY_BYTES                                                                            \
    (sizeof(struct lod_cache_entry) + sizeof(struct lod_blob) + 2 * sizeof(void *) + 32)

struct lod_cache_shard {
    _Alignas(64) pthread_mutex_t lock;
    pthread_cond_t made;              /* some entry is no longer LOD_MAKING */
    struct lod_cache_entry **buckets; /* guarded by lock, like all below */
    uint64_t buckets_count;           /* a power of two */
    uint64_t entries;                 /* in the table */
    struct lod_cache_entry *hand;     /* of the ring; NULL: empty */
    uint64_t ring;                    /* entries in it */
    uint64_t hits, misses, evictions, filled_bytes;
};

/* All bits of a key mixed: keys are small numbers in fixed fields. */
uint64_t lod_key_hash(struct lod_key key);

LOD_MUST_CHECK int lod_shard_init(struct lod_cache_shard *shard);
/* Frees the entries too; accepts one whose init failed or never ran (all zero). */
void lod_shard_finish(struct lod_cache_shard *shard);

/* All below: the lock is held. NULL: absent. */
struct lod_cache_entry *lod_shard_find(struct lod_cache_shard *shard, uint64_t hash,
                                       struct lod_key key);

/* A new entry, LOD_MAKING, not in the ring. NULL: no memory. */
struct lod_cache_entry *lod_shard_insert(struct lod_cache_shard *shard, uint64_t hash,
                                         struct lod_key key);

/* Out of the table; the entry lives on. */
void lod_shard_detach(struct lod_cache_shard *shard, struct lod_cache_entry *entry);

/* Into the ring behind the hand, so that it is the last one the hand comes to; out of it. */
void lod_ring_add(struct lod_cache_shard *shard, struct lod_cache_entry *entry);
void lod_ring_remove(struct lod_cache_shard *shard, struct lod_cache_entry *entry);

/* Frees an entry that is in neither, with its reference. No lock is needed. */
void lod_entry_destroy(struct lod_cache_entry *entry);

#endif
