/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over the frames of a record in the order of its file. Absent frames make a run, over
 * present ones in between where that is cheaper than a request more; one load brings it into the
 * stage, and from there it is copied into what is left of chunks. The load that opens the record
 * brings the first run as well.
 */
#include "prefix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/format.h"

#define RUN_FRAMES  2048u
#define PIECE_LEAST (128u << 10) /* less left in a chunk is left to scattered frames */

/* Where the walk is. */
struct walk {
    struct lod_fetch *fetch;
    struct lod_stage *stage;
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

struct run {
    unsigned count;
    uint64_t from, to; /* of the file */
    uint64_t reach;    /* where its load ends at the latest */
    struct spot spots[RUN_FRAMES];
};

/* Spots first .. end - 1 of a run, in one piece of a chunk. */
struct piece {
    const struct run *run;
    unsigned first, end;
    struct lod_chunk *chunk;
    struct lod_frame_entry *entries;
    uint8_t *data;
};

/* ------------------------------------------------------------------------------ what is absent */

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

/* What is in the stage is used up before it is loaded again. */
static uint64_t reach_of(const struct walk *walk, const struct lod_place *place)
{
    uint64_t reach = lod_stage_reach(place->offset);
    uint64_t patience = place->offset + lod_pace_load(&walk->fetch->pace);

    if (lod_stage_at(walk->stage, place->offset, place->bytes)) {
        return walk->stage->to;
    }
    return patience < reach ? patience : reach;
}

/* The next run of absent frames; none in it: the end. */
static void gather(struct walk *walk, struct run *run)
{
    uint64_t gap_max = lod_pace_gap(&walk->fetch->pace);
    struct lod_place place = {0};

    for (run->count = 0; run->count < RUN_FRAMES && here(walk, &place); walk->frame++) {
        struct lod_key key = lod_fetch_key(walk->recd, walk->slot, walk->group, walk->frame);
        if (run->count &&
            (place.offset - run->to > gap_max || place.offset + place.bytes > run->reach)) {
            break;
        }
        if (!is_absent(walk, key)) {
            continue;
        }
        if (!run->count) {
            run->from = place.offset;
            run->reach = reach_of(walk, &place);
        }
        run->to = place.offset + place.bytes;
        run->spots[run->count++] = (struct spot){key, place};
    }
}

/* ------------------------------------------------------------------------------ loading */

static void count(atomic_uint_fast64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/*
 * What the stage has loaded since `before` counts as requests of prefixes. An error without a load
 * is a request that failed; one after a load is of what it brought.
 */
static int account(struct walk *walk, const struct lod_stage *before, int error)
{
    const uint64_t bytes = walk->stage->bytes - before->bytes;
    const uint64_t loads = walk->stage->loads - before->loads;

    if (loads) {
        lod_pace_add(&walk->fetch->pace, bytes, walk->stage->ns - before->ns);
        count(&walk->fetch->prefix_reads, loads);
        count(&walk->fetch->prefix_bytes, bytes);
        count(&walk->fetch->outcomes[lod_outcome_of(0)], loads);
    } else if (error) {
        count(&walk->fetch->outcomes[lod_outcome_of(error)], 1);
    }
    return error;
}

static int load(struct walk *walk, const struct run *run)
{
    const struct lod_stage before = *walk->stage;

    if (lod_stage_at(walk->stage, run->from, run->to - run->from)) {
        return 0;
    }
    return account(walk, &before, lod_pinned_load(walk->pinned, walk->stage, run->from, run->to));
}

/* Up to where a record that has to be opened is loaded: the end of groups 1 .. `last`. */
static uint64_t front_of(const struct walk *walk)
{
    uint64_t end = LOD_RECORD_HEADER + (uint64_t)walk->recd->metadata_bytes +
                   (walk->group == 1 ? lod_recd_prefix_bytes(walk->recd, walk->last) : 0);
    uint64_t patience = lod_pace_load(&walk->fetch->pace);

    return end < patience ? end : patience;
}

static int open_record(struct walk *walk, const struct lod_item *item)
{
    const struct lod_stage before = *walk->stage;

    return account(walk, &before,
                   lod_dataset_pin_staged(walk->fetch->dataset, item, walk->stage, front_of(walk),
                                          &walk->pinned));
}

/* ------------------------------------------------------------------------------ keeping */

static size_t room_of(const struct piece *piece)
{
    const struct spot *spots = piece->run->spots, *last = &spots[piece->end - 1];

    return (piece->end - piece->first) * sizeof(struct lod_frame_entry) +
           (size_t)(last->place.offset + last->place.bytes - spots[piece->first].place.offset);
}

/* As many spots as there is room for in a chunk; at least one. */
static void cut(struct walk *walk, struct piece *piece)
{
    size_t left = lod_chunks_left(walk->fetch->chunks, LOD_CHUNK_KEPT);
    size_t room = left >= PIECE_LEAST ? left : lod_chunks_usual(walk->fetch->chunks);

    for (piece->end = piece->first + 1; piece->end < piece->run->count; piece->end++) {
        struct piece more = {.run = piece->run, .first = piece->first, .end = piece->end + 1};
        if (room_of(&more) > room) {
            break;
        }
    }
}

static bool copy(struct walk *walk, struct piece *piece)
{
    const struct spot *spots = &piece->run->spots[piece->first];
    const unsigned count = piece->end - piece->first;
    const size_t heads = count * sizeof(struct lod_frame_entry), bytes = room_of(piece) - heads;
    uint8_t *at =
        lod_chunks_take(walk->fetch->chunks, heads + bytes, LOD_CHUNK_KEPT, &piece->chunk);

    if (!at) {
        return false;
    }
    memcpy(at + heads, lod_stage_at(walk->stage, spots[0].place.offset, bytes), bytes);
    piece->entries = (struct lod_frame_entry *)(void *)at;
    for (unsigned i = 0; i < count; i++) {
        piece->entries[i] = (struct lod_frame_entry){
            .key = spots[i].key,
            .next = i + 1 < count ? &piece->entries[i + 1] : NULL,
            .chunk = piece->chunk,
            .data = at + heads + (spots[i].place.offset - spots[0].place.offset),
            .bytes = spots[i].place.bytes,
        };
    }
    lod_fetch_own(piece->chunk, &piece->entries[0], &piece->entries[count - 1]);
    /* Read ahead of who wants it: one round of the clock's hand is its. */
    atomic_store_explicit(&piece->chunk->touched, true, memory_order_relaxed);
    return true;
}

/* What somebody fetched meanwhile stays theirs. */
static void publish(struct walk *walk, struct piece *piece)
{
    for (unsigned i = 0; i < piece->end - piece->first; i++) {
        struct lod_frame_entry *entry = &piece->entries[i];
        struct lod_frame_shard *shard = lod_frame_shard(&walk->fetch->table, entry->key);
        pthread_mutex_lock(&shard->lock);
        entry->state = LOD_FRAME_BAD;
        if (!lod_frame_find(shard, entry->key)) {
            lod_frame_link(shard, entry);
            lod_fetch_publish(shard, entry, 0);
        }
        pthread_mutex_unlock(&shard->lock);
    }
}

static bool keep(struct walk *walk, const struct run *run)
{
    struct piece piece = {.run = run};

    for (; piece.first < run->count; piece.first = piece.end) {
        cut(walk, &piece);
        if (!copy(walk, &piece)) {
            return false;
        }
        publish(walk, &piece);
        lod_blob_unref(&piece.chunk->blob);
    }
    return true;
}

void lod_prefix_fetch(struct lod_fetch *fetch, struct lod_stage *stage, const struct lod_item *item,
                      unsigned first, unsigned last, lod_prefix_step step, void *ctx)
{
    struct walk walk = {
        .fetch = fetch, .stage = stage, .recd = &item->recd, .group = first, .last = last};
    struct run *run = malloc(sizeof(*run));

    lod_stage_clear(stage);
    bool more = run && !open_record(&walk, item);
    while (more) {
        gather(&walk, run);
        more = run->count && !load(&walk, run) && keep(&walk, run) && step(ctx);
    }
    lod_blob_unref(walk.pinned ? &walk.pinned->blob : NULL);
    free(run);
}
