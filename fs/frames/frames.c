/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gets frames of an item: takes those in the table, fetches the missing ones, and waits for those
 * that other threads are fetching. A waiting thread has claimed no frame, so there is no deadlock.
 */
#include "frames/frames.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "frames/prefetch.h"
#include "frames/prefetch_loads.h"
#include "frames/prefetch_threads.h"

struct lod_frames {
    struct lod_fetch fetch;
    struct lod_prefetch prefetch;
};

/* A frame that was loaded with a prefix, so its hash is not checked yet. */
struct unchecked {
    unsigned wanted;
    struct lod_frame_entry *entry;
};

/* The state of one call of lod_frames_get. */
struct ask {
    struct lod_frames *frames;
    const struct lod_item *item;
    struct lod_flight_shard *shard;
    struct lod_wanted *wanted;
    unsigned count;
    unsigned missing, busy; /* counted by the last lookup */
    unsigned first;         /* index of the first missing frame */
    bool counted;           /* this call was counted as a hit or a miss */
    bool dropped;           /* a frame with a wrong hash is read again */
    struct timespec until;  /* the deadline of all waits */
    unsigned unchecked_count;
    struct unchecked *unchecked; /* room for `count` */
};

struct lod_key lod_frames_key(const struct lod_item *item, unsigned group, uint64_t number)
{
    return lod_fetch_key(&item->recd, item->number - item->recd.first_item, group, number);
}

/* ------------------------------------------------------------------------------ one lookup */

static void take(struct ask *ask, unsigned i, struct lod_frame_entry *entry)
{
    struct lod_wanted *wanted = &ask->wanted[i];

    lod_blob_ref(&entry->chunk->blob);
    wanted->chunk = entry->chunk;
    wanted->data = entry->data;
    wanted->bytes = entry->bytes;
    if (!atomic_load_explicit(&entry->chunk->touched, memory_order_relaxed)) {
        atomic_store_explicit(&entry->chunk->touched, true, memory_order_relaxed);
    }
    if (!atomic_load_explicit(&entry->checked, memory_order_acquire)) {
        ask->unchecked[ask->unchecked_count++] = (struct unchecked){i, entry};
    }
}

/* Takes the frames in the table and counts the others. Returns the error of a frame that is known
 * to be bad. */
static int find(struct ask *ask)
{
    struct lod_flight_shard *shard = ask->shard;
    int error = 0;

    ask->missing = ask->busy = 0;
    pthread_mutex_lock(&shard->lock);
    for (unsigned i = 0; i < ask->count && !error; i++) {
        struct lod_wanted *wanted = &ask->wanted[i];
        if (wanted->chunk) {
            continue;
        }
        struct lod_flight *flight =
            lod_flight_find(shard, lod_frames_key(ask->item, wanted->group, wanted->frame));
        if (flight && lod_flight_is_stale(flight)) {
            lod_flight_unlink(shard, flight);
            flight = NULL;
        }
        if (!flight) {
            ask->first = ask->missing++ ? ask->first : i;
        } else if (flight->state == LOD_FLIGHT_LOADING) {
            ask->busy++;
        } else if (flight->state == LOD_FLIGHT_FAILED) {
            error = flight->error;
        } else {
            take(ask, i, (struct lod_frame_entry *)flight);
        }
    }
    shard->hits += !ask->counted && !ask->missing;
    shard->misses += !ask->counted && ask->missing;
    ask->counted = true;
    pthread_mutex_unlock(&shard->lock);
    return error;
}

/* ------------------------------------------------------------------------------ first use */

/* Checks the hash of a frame that a prefix brought. -EBADMSG: it differs. -EILSEQ: the row and the
 * record disagree about it. */
static int judge(const struct ask *ask, const struct lod_wanted *wanted, struct lod_record *record,
                 struct lod_place *ret_place)
{
    const uint32_t slot = ask->item->number - ask->item->recd.first_item;
    int error = lod_record_place(record, slot, wanted->group, wanted->frame, ret_place);

    if (error) {
        return error;
    }
    return ret_place->bytes == wanted->bytes &&
                   lod_record_frame_sound(record, slot, wanted->group, wanted->frame, wanted->data)
               ? 0
               : -EBADMSG;
}

/* Drops the reference to a wrong frame that is read again. */
static void drop(struct ask *ask, struct lod_wanted *wanted)
{
    lod_blob_unref(&wanted->chunk->blob);
    wanted->chunk = NULL;
    ask->dropped = true;
}

/* Removes a wrong frame from the table if it is worth another read,
 * else notes its failure there. */
static int refuse(struct ask *ask, const struct unchecked *unchecked, struct lod_record *record,
                  const struct lod_place *place, int error)
{
    struct lod_wanted *wanted = &ask->wanted[unchecked->wanted];
    struct lod_flight *flight = &unchecked->entry->flight;
    const bool retry = error == -EBADMSG && lod_record_report_wrong(record, place);

    atomic_fetch_add_explicit(&ask->frames->fetch.frames_bad, 1, memory_order_relaxed);
    pthread_mutex_lock(&ask->shard->lock);
    const bool again = retry || !flight->linked; /* another reader removed it */
    if (flight->linked && flight->state == LOD_FLIGHT_READY) {
        if (retry) {
            lod_flight_unlink(ask->shard, flight);
        } else {
            lod_flight_complete(ask->shard, flight, -EIO);
        }
    }
    pthread_mutex_unlock(&ask->shard->lock);
    if (again) {
        drop(ask, wanted);
        return 0;
    }
    return lod_dataset_frame_failed(ask->frames->fetch.dataset, ask->item, wanted->group,
                                    wanted->frame, place->offset, error);
}

/* The first reader of a prefetched frame checks its hash; two simultaneous ones both check it. */
static int check_new(struct ask *ask)
{
    struct lod_record *record = NULL;
    int error = 0;

    if (ask->unchecked_count) {
        error = lod_dataset_record(ask->frames->fetch.dataset, ask->item, &record);
    }
    for (unsigned i = 0; i < ask->unchecked_count && !error; i++) {
        const struct unchecked *unchecked = &ask->unchecked[i];
        struct lod_place place = {0};
        error = judge(ask, &ask->wanted[unchecked->wanted], record, &place);
        if (error) {
            error = refuse(ask, unchecked, record, &place, error);
        } else {
            atomic_store_explicit(&unchecked->entry->checked, true, memory_order_release);
        }
    }
    ask->unchecked_count = 0;
    lod_record_close(record);
    return error;
}

/* ------------------------------------------------------------------------------ asking */

/* Returns whether a wanted frame is being fetched by another thread. The lock is held. */
static bool is_busy(const struct ask *ask)
{
    for (unsigned i = 0; i < ask->count; i++) {
        const struct lod_wanted *wanted = &ask->wanted[i];
        const struct lod_flight *flight =
            wanted->chunk ? NULL
                          : lod_flight_find(ask->shard, lod_frames_key(ask->item, wanted->group,
                                                                       wanted->frame));
        if (flight && flight->state == LOD_FLIGHT_LOADING) {
            return true;
        }
    }
    return false;
}

/* Blocks until frames have arrived, or no wanted frame is being fetched any more. */
static int await(struct ask *ask)
{
    int error = 0;

    pthread_mutex_lock(&ask->shard->lock);
    if (is_busy(ask)) {
        error = lod_flight_wait(ask->shard, &ask->until);
    }
    pthread_mutex_unlock(&ask->shard->lock);
    return error;
}

/* Fetches the missing frames: by loading a prefix if that pays, else directly. */
static int fetch_missing(struct ask *ask, bool *loaded)
{
    struct lod_prefetch *prefetch = &ask->frames->prefetch;
    struct lod_fetch *fetch = &ask->frames->fetch;
    const enum lod_prefetch_done done =
        lod_prefetch_miss(prefetch, ask->item, ask->wanted, ask->count, loaded);
    const bool one = done == LOD_PREFETCH_FIRST;
    bool near = done == LOD_PREFETCH_NEAR;

    if (done == LOD_PREFETCH_MOVED) {
        return 0;
    }
    int error = lod_fetch(fetch, ask->item, ask->wanted + (one ? ask->first : 0),
                          one ? 1 : ask->count, &near);
    if (one) {
        lod_prefetch_end(prefetch, ask->item->recd.number);
    } else if (done == LOD_PREFETCH_UNLISTED) {
        lod_prefetch_end_unlisted(prefetch);
    } else if (done == LOD_PREFETCH_NEAR && !near) {
        lod_prefetch_note_slow(prefetch, ask->item);
    }
    return error;
}

/* Blocks until every frame is there, and checks those that no reader has used yet. */
static int get_all(struct ask *ask, bool *loaded)
{
    int error = find(ask);

    while (!error && ask->missing + ask->busy) {
        error = ask->missing ? fetch_missing(ask, loaded) : await(ask);
        error = error ? error : find(ask);
    }
    ask->dropped = false;
    return error ? error : check_new(ask);
}

int lod_frames_get(struct lod_frames *frames, const struct lod_item *item,
                   struct lod_wanted *wanted, unsigned count)
{
    struct unchecked unchecked[LOD_FETCH_MAX];
    struct ask ask = {
        .frames = frames, .item = item, .wanted = wanted, .count = count, .unchecked = unchecked};
    bool loaded = false;

    assert(count <= LOD_FETCH_MAX);
    ask.shard = lod_fetch_shard(&frames->fetch, lod_frames_key(item, 0, 0));
    lod_prefetch_note(&frames->prefetch, item, wanted, count);
    int error = get_all(&ask, &loaded);
    while (!error && ask.dropped) {
        error = get_all(&ask, &loaded);
    }
    for (unsigned i = 0; error && i < count; i++) {
        lod_blob_unref(wanted[i].chunk ? &wanted[i].chunk->blob : NULL);
        wanted[i].chunk = NULL;
    }
    return error;
}

uint32_t lod_frames_run(struct lod_frames *frames, const struct lod_item *item, uint32_t count,
                        unsigned first, unsigned last)
{
    const struct lod_groups groups = {first, last};
    bool near = false;

    if (!lod_prefetch_is_fast(&frames->prefetch, item, groups, &near)) {
        return count;
    }
    const bool expected = near;
    const uint32_t done = lod_fetch_run(&frames->fetch, item, count, first, last, &near);
    if (expected && !near) {
        lod_prefetch_note_slow(&frames->prefetch, item);
    }
    return done;
}

/* ------------------------------------------------------------------------------ the rest */

int lod_frames_create(struct lod_dataset *dataset, const struct lod_frames_options *options,
                      struct lod_frames **ret_frames)
{
    struct lod_frames *frames = aligned_alloc(_Alignof(struct lod_frames), sizeof(*frames));

    if (!frames) {
        return -ENOMEM;
    }
    uint64_t room = 0;
    *frames = (struct lod_frames){.fetch = {.dataset = dataset,
                                            .copies = lod_dataset_copies(dataset, 0, &room),
                                            .shared = lod_dataset_is_shared(dataset),
                                            .estimate.ranges = lod_dataset_ranges(dataset)}};
    int error = lod_flight_init(&frames->fetch.table);
    error = error ? error
                  : lod_frame_arena_create(options->limit, lod_fetch_forget, &frames->fetch.table,
                                           &frames->fetch.arena);
    error = error ? error
                  : lod_prefetch_init(
                        &frames->prefetch, &frames->fetch,
                        &(struct lod_prefetch_options){.budget_bytes = options->budget_bytes,
                                                       .threads = options->threads,
                                                       .loads = options->loads,
                                                       .loads_max = options->loads_max});
    if (error) {
        lod_frames_destroy(frames);
        return error;
    }
    *ret_frames = frames;
    return 0;
}

struct lod_frames *lod_frames_destroy(struct lod_frames *frames)
{
    if (frames) {
        lod_prefetch_finish(&frames->prefetch);
        lod_frame_arena_destroy(frames->fetch.arena);
        lod_flight_finish(&frames->fetch.table);
        free(frames);
    }
    return NULL;
}

void lod_frames_shrink(void *ctx, size_t bytes)
{
    struct lod_frames *frames = ctx;

    lod_frame_arena_shrink(frames->fetch.arena, bytes);
}

void lod_frames_lend(struct lod_frames *frames, lod_cache_relief claim, void *ctx)
{
    lod_frame_arena_lend(frames->fetch.arena, claim, ctx);
}

void lod_frames_set_budget(struct lod_frames *frames, uint64_t bytes)
{
    if (!frames->fetch.shared) {
        atomic_store_explicit(&frames->prefetch.budget_bytes, bytes, memory_order_relaxed);
        lod_prefetch_trim(&frames->prefetch);
    }
}

int lod_frames_announce(struct lod_frames *frames, const struct lod_ahead_request *request,
                        struct lod_ahead_answer *ret_answer)
{
    int error = lod_prefetch_announce(&frames->prefetch, request, ret_answer);

    if (!error) {
        lod_prefetch_wake(&frames->prefetch);
    }
    return error;
}

struct lod_io_estimate *lod_frames_io_estimate(struct lod_frames *frames)
{
    return &frames->fetch.estimate;
}

void lod_frames_stats(struct lod_frames *frames, struct lod_frames_stats *ret_stats)
{
    struct lod_fetch *fetch = &frames->fetch;

    *ret_stats = (struct lod_frames_stats){
        .evictions = lod_frame_arena_stats(fetch->arena).forgotten,
        .scattered_reads = atomic_load(&fetch->scattered_reads),
        .scattered_bytes = atomic_load(&fetch->scattered_bytes),
        .prefix_reads = atomic_load(&fetch->prefix_reads),
        .prefix_bytes = atomic_load(&fetch->prefix_bytes),
        .frames_bad = atomic_load(&fetch->frames_bad),
        .latency_ns = atomic_load(&fetch->estimate.latency_ns),
        .bandwidth = atomic_load(&fetch->estimate.bandwidth),
        .advised_bytes = lod_prefetch_advice(&frames->prefetch),
    };
    ret_stats->ahead = lod_prefetch_ahead_stats(&frames->prefetch);
    for (unsigned i = 0; i < LOD_READ_CLASSES; i++) {
        ret_stats->load_bytes[i] = atomic_load(&fetch->load_bytes[i]);
    }
    for (unsigned i = 0; i < LOD_OUTCOMES; i++) {
        ret_stats->outcomes[i] = atomic_load(&fetch->outcomes[i]);
    }
    for (unsigned i = 0; i < LOD_FLIGHT_SHARDS; i++) {
        struct lod_flight_shard *shard = &fetch->table.shards[i];
        pthread_mutex_lock(&shard->lock);
        ret_stats->hits += shard->hits;
        ret_stats->misses += shard->misses;
        pthread_mutex_unlock(&shard->lock);
    }
}
