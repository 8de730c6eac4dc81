/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking for the frames of an item: one look into the table takes what is there, the rest is
 * fetched, what others are fetching is waited for. A thread that waits has claimed nothing, so
 * nobody waits in a circle.
 */
#include "frames.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "stream.h"

struct lod_frames {
    struct lod_fetch fetch;
    struct lod_stream stream;
};

/* A frame that came in a prefix and was not hashed when it was taken. */
struct unchecked {
    unsigned wanted;
    struct lod_frame_entry *entry;
};

/* One call of lod_frames_get. */
struct ask {
    struct lod_frames *frames;
    const struct lod_item *item;
    struct lod_frame_shard *shard;
    struct lod_wanted *wanted;
    unsigned count;
    unsigned missing, busy; /* what the last look found */
    unsigned first;         /* that is missing */
    bool counted;
    unsigned unchecked_count;
    struct unchecked *unchecked; /* room for `count` */
};

struct lod_key lod_frames_key(const struct lod_item *item, unsigned group, uint64_t number)
{
    return lod_fetch_key(&item->recd, item->number - item->recd.first_item, group, number);
}

/* ------------------------------------------------------------------------------ one look */

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

/* Takes what is there and counts the rest. An error: a frame of it is known to be bad. */
static int look(struct ask *ask)
{
    struct lod_frame_shard *shard = ask->shard;
    int error = 0;

    ask->missing = ask->busy = 0;
    pthread_mutex_lock(&shard->lock);
    for (unsigned i = 0; i < ask->count && !error; i++) {
        struct lod_wanted *wanted = &ask->wanted[i];
        if (wanted->chunk) {
            continue;
        }
        struct lod_frame_entry *entry =
            lod_frame_find(shard, lod_frames_key(ask->item, wanted->group, wanted->frame));
        if (entry && entry->state == LOD_FRAME_BAD && lod_clock_ns() >= entry->bad_until_ns) {
            lod_frame_unlink(shard, entry);
            entry = NULL;
        }
        if (!entry) {
            ask->first = ask->missing++ ? ask->first : i;
        } else if (entry->state == LOD_FRAME_MAKING) {
            ask->busy++;
        } else if (entry->state == LOD_FRAME_BAD) {
            error = entry->error;
        } else {
            take(ask, i, entry);
        }
    }
    shard->hits += !ask->counted && !ask->missing;
    shard->misses += !ask->counted && ask->missing;
    ask->counted = true;
    pthread_mutex_unlock(&shard->lock);
    return error;
}

/* ------------------------------------------------------------------------------ first use */

/* What came in a prefix is hashed by its first reader; two at once both do, to the same end. */
static int check(struct ask *ask, const struct unchecked *unchecked, struct lod_pinned *pinned)
{
    const struct lod_wanted *wanted = &ask->wanted[unchecked->wanted];
    const uint32_t slot = ask->item->number - ask->item->recd.first_item;
    struct lod_frame_entry *entry = unchecked->entry;
    struct lod_place place = {0};

    int error = lod_pinned_place(pinned, slot, wanted->group, wanted->frame, &place);
    if (!error && place.bytes == wanted->bytes &&
        lod_pinned_sound(pinned, slot, wanted->group, wanted->frame, wanted->data)) {
        atomic_store_explicit(&entry->checked, true, memory_order_release);
        return 0;
    }
    atomic_fetch_add_explicit(&ask->frames->fetch.frames_bad, 1, memory_order_relaxed);
    error = lod_dataset_frame_failed(ask->frames->fetch.dataset, ask->item, wanted->group,
                                     wanted->frame, place.offset, error ? error : -EBADMSG);
    pthread_mutex_lock(&ask->shard->lock);
    if (entry->linked && entry->state == LOD_FRAME_READY) {
        lod_fetch_publish(ask->shard, entry, error);
    }
    pthread_mutex_unlock(&ask->shard->lock);
    return error;
}

static int check_new(struct ask *ask)
{
    struct lod_pinned *pinned = NULL;
    int error = 0;

    if (ask->unchecked_count) {
        error = lod_dataset_pin(ask->frames->fetch.dataset, ask->item, &pinned);
    }
    for (unsigned i = 0; i < ask->unchecked_count && !error; i++) {
        error = check(ask, &ask->unchecked[i], pinned);
    }
    lod_blob_unref(pinned ? &pinned->blob : NULL);
    return error;
}

/* ------------------------------------------------------------------------------ asking */

/* Waits unless what was busy is made already. */
static int await(struct ask *ask)
{
    int error = 0;

    pthread_mutex_lock(&ask->shard->lock);
    for (unsigned i = 0; i < ask->count; i++) {
        const struct lod_wanted *wanted = &ask->wanted[i];
        const struct lod_frame_entry *entry =
            wanted->chunk ? NULL
                          : lod_frame_find(ask->shard,
                                           lod_frames_key(ask->item, wanted->group, wanted->frame));
        if (entry && entry->state == LOD_FRAME_MAKING) {
            error = lod_frame_await(ask->shard) ? -EIO : 0;
            break;
        }
    }
    pthread_mutex_unlock(&ask->shard->lock);
    return error;
}

/*
 * The first request of all tells whether the others may be dear: nobody makes one meanwhile, unless
 * it stalls. Where the index was waited for, that has told it.
 */
static int bring_first(struct ask *ask)
{
    struct lod_frames *frames = ask->frames;
    struct lod_fetch *fetch = &frames->fetch;
    const enum lod_turn_begun begun = lod_turn_begin(&frames->stream.turn);
    int error = 0;

    if (begun != LOD_TURN_MOVED &&
        !lod_pace_adopt(&fetch->pace, lod_dataset_index_pace(fetch->dataset))) {
        error = lod_fetch(fetch, ask->item, &ask->wanted[ask->first], 1);
    }
    if (begun == LOD_TURN_MINE) {
        lod_turn_end(&frames->stream.turn);
    }
    return error;
}

/* What is missing: by a prefix if that pays, else just so. */
static int bring(struct ask *ask, bool *prefix_read)
{
    struct lod_frames *frames = ask->frames;

    if (lod_stream_try(&frames->stream, ask->item, ask->wanted, ask->count, prefix_read)) {
        return 0;
    }
    return lod_pace_is_known(&frames->fetch.pace)
               ? lod_fetch(&frames->fetch, ask->item, ask->wanted, ask->count)
               : bring_first(ask);
}

static int get(struct ask *ask)
{
    int error = look(ask);
    bool prefix_read = false;

    while (!error && ask->missing + ask->busy) {
        error = ask->missing ? bring(ask, &prefix_read) : await(ask);
        error = error ? error : look(ask);
    }
    return error ? error : check_new(ask);
}

int lod_frames_get(struct lod_frames *frames, const struct lod_item *item,
                   struct lod_wanted *wanted, unsigned count)
{
    struct unchecked unchecked[LOD_FETCH_MAX];
    struct ask ask = {
        .frames = frames, .item = item, .wanted = wanted, .count = count, .unchecked = unchecked};

    assert(count <= LOD_FETCH_MAX);
    ask.shard = lod_frame_shard(&frames->fetch.table, lod_frames_key(item, 0, 0));
    lod_stream_note(&frames->stream, item, wanted, count);
    int error = get(&ask);
    for (unsigned i = 0; error && i < count; i++) {
        lod_blob_unref(wanted[i].chunk ? &wanted[i].chunk->blob : NULL);
        wanted[i].chunk = NULL;
    }
    return error;
}

/* ------------------------------------------------------------------------------ the rest */

int lod_frames_create(struct lod_dataset *dataset, struct lod_room *room,
                      struct lod_frames **ret_frames)
{
    struct lod_frames *frames = aligned_alloc(_Alignof(struct lod_frames), sizeof(*frames));

    if (!frames) {
        return -ENOMEM;
    }
    *frames = (struct lod_frames){.fetch.dataset = dataset};
    lod_stream_init(&frames->stream, &frames->fetch, room->bytes_max);
    int error = lod_frame_table_init(&frames->fetch.table);
    error = error ? error
                  : lod_chunks_create(room, lod_frame_table_forget, &frames->fetch.table,
                                      &frames->fetch.chunks);
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
        lod_stream_finish(&frames->stream);
        lod_chunks_destroy(frames->fetch.chunks);
        lod_frame_table_finish(&frames->fetch.table);
        free(frames);
    }
    return NULL;
}

void lod_frames_shrink(void *ctx, size_t bytes)
{
    struct lod_frames *frames = ctx;

    lod_chunks_shrink(frames->fetch.chunks, bytes);
}

struct lod_pace *lod_frames_pace(struct lod_frames *frames)
{
    return &frames->fetch.pace;
}

void lod_frames_stats(struct lod_frames *frames, struct lod_frames_stats *ret_stats)
{
    struct lod_fetch *fetch = &frames->fetch;

    *ret_stats = (struct lod_frames_stats){
        .evictions = lod_chunks_stats(fetch->chunks).forgotten,
        .scattered_reads = atomic_load(&fetch->scattered_reads),
        .scattered_bytes = atomic_load(&fetch->scattered_bytes),
        .prefix_reads = atomic_load(&fetch->prefix_reads),
        .prefix_bytes = atomic_load(&fetch->prefix_bytes),
        .frames_bad = atomic_load(&fetch->frames_bad),
        .latency_ns = atomic_load(&fetch->pace.latency_ns),
        .bandwidth = atomic_load(&fetch->pace.bandwidth),
        .advised_bytes = lod_stream_advice(&frames->stream),
    };
    for (unsigned i = 0; i < LOD_OUTCOMES; i++) {
        ret_stats->outcomes[i] = atomic_load(&fetch->outcomes[i]);
    }
    lod_frame_table_counts(&fetch->table, &ret_stats->hits, &ret_stats->misses);
}
