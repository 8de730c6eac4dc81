/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A single-flight table: of all threads that want the value of a key, one makes it and the others
 * wait. A value is absent, loading, ready, or failed until a moment. The entries belong to the
 * caller, which embeds them in its own memory; the table links them and never frees one. It knows
 * no values and no memory limit.
 */
#ifndef LOD_FLIGHT_H
#define LOD_FLIGHT_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "compiler.h"

#define LOD_FLIGHT_SHARDS    64u
#define LOD_FLIGHT_FAILED_NS (5ull * 1000 * 1000 * 1000)  /* a failure is remembered this long */
#define LOD_FLIGHT_WAIT_NS   (30ull * 1000 * 1000 * 1000) /* a waiter gives up after this time */

/*
 * Returns whether an error is temporary and says nothing about the bytes. It is not remembered,
 * since the next thread may succeed. Only -EMFILE and -ENFILE are logged: no file descriptor was
 * free. -ETIME means that a wait for another thread took longer than LOD_FLIGHT_WAIT_NS. -ETIMEDOUT
 * is different: it is an error of a storage that does not answer.
 */
static inline bool lod_error_is_temporary(int error)
{
    return error == -ENOMEM || error == -EINTR || error == -ETIME || error == -EMFILE ||
           error == -ENFILE;
}

/* Keys with the same `high` share a shard, so that one lock serves a read of all of them. */
struct lod_key {
    uint64_t high, low;
};

enum lod_flight_state { LOD_FLIGHT_LOADING, LOD_FLIGHT_READY, LOD_FLIGHT_FAILED };

/* One entry. The lock of its shard guards it; `key` never changes while it is linked. */
struct lod_flight {
    struct lod_key key;
    struct lod_flight *chain; /* next in its bucket */
    uint64_t failed_until_ns; /* FAILED */
    int error;                /* FAILED */
    uint8_t state;            /* enum lod_flight_state */
    bool linked;              /* in the table */
};

struct lod_flight_shard {
    _Alignas(64) pthread_mutex_t lock;
    pthread_cond_t landed;       /* some entry is no longer LOADING */
    struct lod_flight **buckets; /* guarded by lock, as all below */
    uint64_t buckets_count;      /* a power of two */
    uint64_t entries;
    unsigned waiters;
    uint64_t hits, misses; /* counted by the owner */
};

struct lod_flight_table {
    struct lod_flight_shard shards[LOD_FLIGHT_SHARDS];
};

/* Returns -ENOMEM; call lod_flight_finish then too. */
LOD_MUST_CHECK int lod_flight_init(struct lod_flight_table *table);
/* Frees no entries. Accepts a table that is all zero. */
void lod_flight_finish(struct lod_flight_table *table);

/* A table may also be one shard alone, for entries that have one lock. The same otherwise. */
LOD_MUST_CHECK int lod_flight_shard_init(struct lod_flight_shard *shard);
void lod_flight_shard_finish(struct lod_flight_shard *shard);

unsigned lod_flight_shard_of(struct lod_key key);

/* The caller of each function below holds the lock of the shard. */

/* Returns NULL if the key is absent. An expired failure is found too; see lod_flight_is_stale. */
struct lod_flight *lod_flight_find(struct lod_flight_shard *shard, struct lod_key key);
bool lod_flight_is_stale(const struct lod_flight *flight);

/* Returns whether the value of a key is ready or loading. */
bool lod_flight_has(struct lod_flight_shard *shard, struct lod_key key);
/* Finds an entry that is not LOADING, after a wait if necessary. Sets *ret_flight to NULL if the
 * key is absent. Errors: as lod_flight_wait. */
LOD_MUST_CHECK int lod_flight_settle(struct lod_flight_shard *shard, struct lod_key key,
                                     struct lod_flight **ret_flight);

/* Links an entry whose key is set and absent: from now on it is LOADING. */
void lod_flight_link(struct lod_flight_shard *shard, struct lod_flight *flight);
void lod_flight_unlink(struct lod_flight_shard *shard, struct lod_flight *flight);

/*
 * Ends LOADING and wakes the waiters. Error 0 makes the entry READY. After an error of
 * lod_error_is_temporary it is unlinked, and the next thread tries again. Any other error makes it
 * FAILED for LOD_FLIGHT_FAILED_NS.
 */
void lod_flight_complete(struct lod_flight_shard *shard, struct lod_flight *flight, int error);

/*
 * Blocks until some entry of the shard is no longer LOADING; then the caller checks again. `until`
 * is all zero at the first wait of a call and keeps its deadline. Returns -ETIME after the
 * deadline.
 */
LOD_MUST_CHECK int lod_flight_wait(struct lod_flight_shard *shard, struct timespec *until);

#endif
