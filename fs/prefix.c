/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over the frames of a record in the order of its file. Frames that are absent are gathered
 * into a slice, which fills what is left of a chunk; one request reads it, over present frames in
 * between where that is cheaper than a request more.
 */
#include "prefix.h"

#include <errno.h>
#include <stdlib.h>

#define SLICE_FRAMES 2048u
#define SLICE_LEAST  (128u << 10) /* less left in a chunk is left to scattered frames */

/* Where the walk is. */
struct walk {
    struct lod_fetch *fetch;
    const struct lod_recd *recd;
    struct lod_pinned *pinned;
    unsigned group, last;
    uint32_t slot;
    uint64_t frame;
};

struct spot {
    struct lod_key key;
    struct lod_place place;
};

struct slice {
    unsigned count;
    uint64_t from, to; /* of the file */
    size_t room;       /* for entries and bytes */
    struct lod_frame_entry *entries;
    struct lod_chunk *chunk;
    struct spot spots[SLICE_FRAMES];
};

/* The frame the walk is at; it goes on to where there is one. False: the end. */
static bool here(struct walk *walk, struct lod_place *ret_place)
{
    for (; walk->group <= walk->last; walk->group++, walk->slot = 0) {
        for (; walk->slot < walk->recd->items; walk->slot++, walk->frame = 0) {
            if (!lod_pinned_place(walk->pinned, walk->slot, walk->group, walk->frame, ret_place)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_absent(struct walk *walk, struct lod_key key)
{
    struct lod_frame_shard *shard = lod_frame_shard(&walk->fetch->table, key);

    pthread_mutex_lock(&shard->lock);
    bool absent = !lod_frame_find(shard, key);
    pthread_mutex_unlock(&shard->lock);
    return absent;
}

static size_t room_with(const struct slice *slice, const struct lod_place *place)
{
    uint64_t from = slice->count ? slice->from : place->offset;

    return (slice->count + 1) * sizeof(struct lod_frame_entry) +
           (size_t)(place->offset + place->bytes - from);
}

/* The next slice of absent frames; none in it: the end. */
static void gather(struct walk *walk, struct slice *slice)
{
    size_t left = lod_chunks_left(walk->fetch->chunks, LOD_CHUNK_KEPT);
    uint64_t gap_max = lod_pace_gap(&walk->fetch->pace);
    struct lod_place place = {0};

    slice->count = 0;
    slice->room = left >= SLICE_LEAST ? left : lod_chunks_usual(walk->fetch->chunks);
    for (; slice->count < SLICE_FRAMES && here(walk, &place); walk->frame++) {
        struct lod_key key = lod_fetch_key(walk->recd, walk->slot, walk->group, walk->frame);
        bool far = slice->count &&
                   (place.offset - slice->to > gap_max || room_with(slice, &place) > slice->room);
        if (far) {
            break;
        }
        if (!is_absent(walk, key)) {
            continue;
        }
        slice->from = slice->count ? slice->from : place.offset;
        slice->to = place.offset + place.bytes;
        slice->spots[slice->count++] = (struct spot){key, place};
    }
}

static bool take_memory(struct walk *walk, struct slice *slice)
{
    size_t heads = slice->count * sizeof(struct lod_frame_entry);
    uint8_t *at = lod_chunks_take(walk->fetch->chunks, heads + (size_t)(slice->to - slice->from),
                                  LOD_CHUNK_KEPT, &slice->chunk);

    if (!at) {
        return false;
    }
    slice->entries = (struct lod_frame_entry *)(void *)at;
    for (unsigned i = 0; i < slice->count; i++) {
        const struct spot *spot = &slice->spots[i];
        slice->entries[i] = (struct lod_frame_entry){
            .key = spot->key,
            .next = i + 1 < slice->count ? &slice->entries[i + 1] : NULL,
            .chunk = slice->chunk,
            .data = at + heads + (spot->place.offset - slice->from),
            .bytes = spot->place.bytes,
        };
    }
    lod_fetch_own(slice->chunk, &slice->entries[0], &slice->entries[slice->count - 1]);
    return true;
}

static void claim(struct walk *walk, struct slice *slice)
{
    for (unsigned i = 0; i < slice->count; i++) {
        struct lod_frame_entry *entry = &slice->entries[i];
        struct lod_frame_shard *shard = lod_frame_shard(&walk->fetch->table, entry->key);
        pthread_mutex_lock(&shard->lock);
        if (lod_frame_find(shard, entry->key)) {
            entry->state = LOD_FRAME_BAD;
        } else {
            lod_frame_link(shard, entry);
        }
        pthread_mutex_unlock(&shard->lock);
    }
}

/* What could not be read is forgotten, so that who wants it finds out why. */
static void publish(struct walk *walk, struct slice *slice, int error)
{
    for (unsigned i = 0; i < slice->count; i++) {
        struct lod_frame_entry *entry = &slice->entries[i];
        struct lod_frame_shard *shard = lod_frame_shard(&walk->fetch->table, entry->key);
        pthread_mutex_lock(&shard->lock);
        if (entry->linked) {
            lod_fetch_publish(shard, entry, error ? -EINTR : 0);
        }
        pthread_mutex_unlock(&shard->lock);
    }
}

static int read_slice(struct walk *walk, struct slice *slice)
{
    size_t bytes = (size_t)(slice->to - slice->from);

    if (!take_memory(walk, slice)) {
        return -ENOMEM;
    }
    claim(walk, slice);
    int error =
        lod_fetch_read(walk->fetch, walk->pinned, slice->from, slice->entries[0].data, bytes);
    atomic_fetch_add_explicit(&walk->fetch->prefix_reads, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&walk->fetch->prefix_bytes, bytes, memory_order_relaxed);
    publish(walk, slice, error);
    lod_blob_unref(&slice->chunk->blob);
    return error;
}

void lod_prefix_fetch(struct lod_fetch *fetch, const struct lod_item *item, unsigned first,
                      unsigned last, lod_prefix_step step, void *ctx)
{
    struct walk walk = {.fetch = fetch, .recd = &item->recd, .group = first, .last = last};
    struct slice *slice = malloc(sizeof(*slice));
    int error = slice ? lod_dataset_pin(fetch->dataset, item, &walk.pinned) : -ENOMEM;

    while (!error) {
        gather(&walk, slice);
        if (!slice->count) {
            break;
        }
        error = read_slice(&walk, slice);
        step(ctx);
    }
    lod_blob_unref(walk.pinned ? &walk.pinned->blob : NULL);
    free(slice);
}
