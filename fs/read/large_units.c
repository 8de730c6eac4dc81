/* SPDX-License-Identifier: Apache-2.0 */
/* The reads of large units, by one shard of a single-flight table; see large_units.h. */
#include "read/large_units.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "read/large_budget.h"

static void destroy_all(struct lod_large_unit *unit)
{
    while (unit) {
        struct lod_large_unit *next = unit->next;
        lod_blob_unref(unit->blob);
        free(unit);
        unit = next;
    }
}

/* Ends LOADING. A unit that is not kept is added to `dead`. The lock is held. */
static void end_loading(struct lod_large_units *units, struct lod_large_unit *unit, uint64_t bytes,
                        int error, struct lod_large_unit **dead)
{
    const bool kept =
        !lod_error_is_temporary(error) && lod_large_budget_keep(units, unit, bytes, dead);

    lod_flight_complete(&units->shard, &unit->flight, error);
    if (kept) {
        return;
    }
    if (unit->flight.linked) {
        lod_flight_unlink(&units->shard, &unit->flight);
    }
    unit->next = *dead;
    *dead = unit;
}

/* Makes a unit that this thread has linked. The lock is held on entry and released on return. */
static int make(struct lod_large_units *units, struct lod_large_unit *unit, uint64_t bytes,
                lod_cache_fill fill, void *ctx, struct lod_blob **ret_blob)
{
    struct lod_large_unit *dead = NULL;
    struct lod_blob *blob = NULL;

    units->shard.misses++;
    pthread_mutex_unlock(&units->shard.lock);
    int error = fill(ctx, unit->flight.key, &blob);
    assert(error <= 0 && !error == !!blob);

    pthread_mutex_lock(&units->shard.lock);
    if (blob) {
        units->filled_bytes += blob->bytes;
        unit->blob = lod_blob_ref(blob);
        unit->to = blob->bytes;
        lod_large_budget_read(units, unit, unit->at, bytes);
    }
    end_loading(units, unit, bytes, error, &dead);
    pthread_mutex_unlock(&units->shard.lock);
    destroy_all(dead);
    if (!error) {
        *ret_blob = blob;
    }
    return error;
}

/* Returns whether a unit that is not LOADING has the bytes of a read, or their error. */
static bool serves(const struct lod_large_unit *unit, uint64_t at, uint64_t bytes)
{
    return unit->flight.state == LOD_FLIGHT_FAILED ? !lod_flight_is_stale(&unit->flight)
                                                   : unit->from <= at && at + bytes <= unit->to;
}

/* Returns the blob or the error of a unit that serves the read. The lock is held. */
static int take(struct lod_large_units *units, struct lod_large_unit *unit, uint64_t at,
                uint64_t bytes, struct lod_blob **ret_blob)
{
    units->shard.hits++;
    if (unit->flight.state == LOD_FLIGHT_FAILED) {
        return unit->flight.error;
    }
    lod_large_budget_read(units, unit, at, bytes);
    *ret_blob = lod_blob_ref(unit->blob);
    return 0;
}

/* Links a new unit. The one that it replaces, which may be NULL, stays in the list until it is
 * evicted. Returns NULL if memory is exhausted. The lock is held. */
static struct lod_large_unit *begin(struct lod_large_units *units, struct lod_key key, uint64_t at,
                                    struct lod_large_unit *old)
{
    struct lod_large_unit *unit = calloc(1, sizeof(*unit));

    if (unit && old) {
        lod_flight_unlink(&units->shard, &old->flight);
        old->used = 0;
    }
    if (unit) {
        unit->flight.key = key;
        unit->at = at;
        lod_flight_link(&units->shard, &unit->flight);
    }
    return unit;
}

int lod_large_units_get(struct lod_large_units *units, struct lod_key key, uint64_t at,
                        uint64_t bytes, lod_cache_fill fill, void *ctx, struct lod_blob **ret_blob)
{
    struct lod_flight_shard *shard = &units->shard;
    struct lod_flight *flight;

    pthread_mutex_lock(&shard->lock);
    lod_large_budget_note(units, key);
    int error = lod_flight_settle(shard, key, &flight);
    struct lod_large_unit *unit = (struct lod_large_unit *)flight;
    if (!error && unit && serves(unit, at, bytes)) {
        error = take(units, unit, at, bytes, ret_blob);
        pthread_mutex_unlock(&shard->lock);
        return error;
    }
    unit = error ? NULL : begin(units, key, at, unit);
    if (!unit) {
        pthread_mutex_unlock(&shard->lock);
        return error ? error : -ENOMEM;
    }
    return make(units, unit, bytes, fill, ctx, ret_blob);
}

bool lod_large_units_has(struct lod_large_units *units, struct lod_key key)
{
    pthread_mutex_lock(&units->shard.lock);
    const bool has = lod_flight_has(&units->shard, key);
    pthread_mutex_unlock(&units->shard.lock);
    return has;
}

void lod_large_units_shrink(struct lod_large_units *units, uint64_t bytes)
{
    struct lod_large_unit *dead = NULL;

    pthread_mutex_lock(&units->shard.lock);
    const uint64_t before = units->bytes;
    bool more = true;
    while (more && before - units->bytes < bytes) {
        more = lod_large_budget_evict(units, false, &dead);
    }
    pthread_mutex_unlock(&units->shard.lock);
    destroy_all(dead);
}

int lod_large_units_create(struct lod_byte_limit *limit, struct lod_large_units **ret_units)
{
    struct lod_large_units *units = aligned_alloc(_Alignof(struct lod_large_units), sizeof(*units));

    if (!units) {
        return -ENOMEM;
    }
    *units = (struct lod_large_units){.limit = limit};
    lod_large_budget_init(units);
    int error = lod_flight_shard_init(&units->shard);
    if (error) {
        free(units);
        return error;
    }
    *ret_units = units;
    return 0;
}

struct lod_large_units *lod_large_units_destroy(struct lod_large_units *units)
{
    if (units) {
        destroy_all(units->list);
        lod_byte_limit_release(units->limit, (size_t)units->bytes);
        lod_flight_shard_finish(&units->shard);
    }
    free(units);
    return NULL;
}

struct lod_cache_stats lod_large_units_stats(struct lod_large_units *units)
{
    pthread_mutex_lock(&units->shard.lock);
    const struct lod_cache_stats stats = {.hits = units->shard.hits,
                                          .misses = units->shard.misses,
                                          .evictions = units->evictions,
                                          .bytes = units->bytes,
                                          .filled_bytes = units->filled_bytes};
    pthread_mutex_unlock(&units->shard.lock);
    return stats;
}
