/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which frames are in memory, being read, or known to be bad: a table of entries that lie in chunks
 * before their bytes, and go with them. Frames of one item share a shard, so that one lock serves a
 * read of all its groups. Reads nothing; fetch.c fills it.
 */
#ifndef LOD_FRAME_TABLE_H
#define LOD_FRAME_TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cache.h"
#include "chunks.h"
#include "compiler.h"

#define LOD_FRAME_SHARDS 64u

enum lod_frame_state { LOD_FRAME_MAKING, LOD_FRAME_READY, LOD_FRAME_BAD };

/* Guarded by the lock of its shard; key, chunk, data and bytes never change while it is linked. */
struct lod_frame_entry {
    struct lod_key key;
    struct lod_frame_entry *chain; /* next in its bucket */
    struct lod_frame_entry *next;  /* in its chunk; set before the entry is linked */
    struct lod_chunk *chunk;
    uint8_t *data; /* bytes of the frame; they are there and stay the same from READY on */
    uint64_t bad_until_ns;
    uint32_t bytes;
    int error;           /* BAD */
    uint8_t state;       /* enum lod_frame_state */
    bool linked;         /* in the table */
    atomic_bool checked; /* its hash was right */
};

struct lod_frame_shard {
    _Alignas(64) pthread_mutex_t lock;
    pthread_cond_t made; /* some entry is no longer MAKING */
    struct lod_frame_entry **buckets;
    uint64_t buckets_count, entries;
    unsigned waiters;
    uint64_t hits, misses;
};

struct lod_frame_table {
    struct lod_frame_shard shards[LOD_FRAME_SHARDS];
};

LOD_MUST_CHECK int lod_frame_table_init(struct lod_frame_table *table);
/* Accepts one whose init failed. The entries belong to their chunks. */
void lod_frame_table_finish(struct lod_frame_table *table);

struct lod_frame_shard *lod_frame_shard(struct lod_frame_table *table, struct lod_key key);

/* All three: the lock is held. NULL: absent. */
struct lod_frame_entry *lod_frame_find(struct lod_frame_shard *shard, struct lod_key key);
void lod_frame_link(struct lod_frame_shard *shard, struct lod_frame_entry *entry);
void lod_frame_unlink(struct lod_frame_shard *shard, struct lod_frame_entry *entry);

/* Waits until an entry of the shard is made. The lock is held. -ETIMEDOUT: nothing was for long. */
LOD_MUST_CHECK int lod_frame_await(struct lod_frame_shard *shard);

/* Looks that found all they wanted, and looks that did not. */
void lod_frame_table_counts(struct lod_frame_table *table, uint64_t *ret_hits,
                            uint64_t *ret_misses);

/* A lod_chunk_forget: unlinks all entries of the chunk; `ctx` is the table. */
uint64_t lod_frame_table_forget(void *ctx, struct lod_chunk *chunk);

#endif
