/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks over the frames of a record in the order of its file, and gathers absent frames into runs.
 * A run includes present frames where that is cheaper than another request. One load brings the run
 * into the buffer. From there it is copied into chunks. The load that opens the record also brings
 * the first run.
 */
#include "frames/prefix_fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/format.h"
#include "bytes.h"
#include "framecache/frame_move.h"
#include "frames/copy_fill.h"

#define RUN_FRAMES  2048u
#define PIECE_LEAST (128u << 10) /* a chunk with less room left is not used for prefixes */

/* The position of the walk. */
struct walk {
    struct lod_fetch *fetch;
    struct lod_io_buffer *buffer;
    const struct lod_record_desc *recd;
    struct lod_record *record;
    struct lod_frame_pins *pins; /* or NULL */
    bool fills;                  /* a copy of the store has room for loaded bytes */
    enum lod_chunk_kind kind;    /* of new chunks */
    int error;                   /* why a frame could not be pinned; 0: all could */
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
    uint64_t from, to; /* offsets in the file */
    uint64_t reach;    /* latest end of its load */
    struct spot spots[RUN_FRAMES];
};

/* Frames first .. end - 1 of a run, which are copied to one place in a chunk. */
struct piece {
    const struct run *run;
    unsigned first, end;
    struct lod_chunk *chunk;
    struct lod_frame_entry *entries;
    uint8_t *data;
};

/* ------------------------------------------------------------------------------ what is absent */

/* Moves the walk to the next frame, unless it is at one. Returns false at the end. */
static bool move_to_frame(struct walk *walk, struct lod_place *ret_place)
{
    for (; walk->group <= walk->last; walk->group++, walk->slot = 0) {
        for (; walk->slot < walk->recd->items; walk->slot++, walk->frame = 0) {
            if (!lod_record_place(walk->record, walk->slot, walk->group, walk->frame, ret_place)) {
                return true;
            }
        }
    }
    return false;
}

/* Keeps the chunk of a frame that is in memory or on its way. The lock of its shard is held, so
 * that the chunk exists. */
static int pin(struct walk *walk, struct lod_flight *flight)
{
    struct lod_frame_entry *entry = (struct lod_frame_entry *)flight;

    return !walk->pins                          ? 0
           : flight->state == LOD_FLIGHT_FAILED ? flight->error
                                                : lod_frame_pins_add(walk->pins, entry->chunk);
}

/* Returns whether the frame is absent. */
static bool is_absent(struct walk *walk, struct lod_key key)
{
    struct lod_flight_shard *shard = lod_fetch_shard(walk->fetch, key);

    if (walk->pins) {
        lod_frame_move(walk->fetch, key);
    }
    pthread_mutex_lock(&shard->lock);
    struct lod_flight *flight = lod_flight_find(shard, key);
    if (flight && lod_flight_is_stale(flight)) {
        lod_flight_unlink(shard, flight);
        flight = NULL;
    }
    int error = flight ? pin(walk, flight) : 0;
    pthread_mutex_unlock(&shard->lock);
    walk->error = walk->error ? walk->error : error;
    return !flight;
}

/*
 * Returns the bytes of the largest load. Readers of other records wait for the end of a load ahead,
 * so it takes a quarter of a second, or more where the latency is a large part of that.
 */
static uint64_t largest_load(const struct walk *walk)
{
    const struct lod_io_estimate *estimate = &walk->fetch->estimate;
    const uint64_t load = lod_io_estimate_load(estimate), most = walk->buffer->most;
    const uint64_t least = load / 1000 * (lod_io_estimate_latency(estimate) / 1000000) * 20;
    const bool whole =
        walk->buffer->class == LOD_READ_DEMAND || !lod_io_estimate_has_bandwidth(estimate);
    const uint64_t usual = whole || least > load ? load : least > load / 4 ? least : load / 4;

    return most ? lod_least(most, usual) : usual;
}

/* Begins a run with the frame at `place`. Bytes in the buffer are used before its next load. */
static void begin_run(const struct walk *walk, struct run *run, const struct lod_place *place)
{
    const bool here = lod_io_buffer_at(walk->buffer, place->offset, place->bytes);
    const bool fills = walk->fills && !here;

    run->from = fills ? lod_copy_fill_start(walk->record, place) : place->offset;
    const uint64_t reach = fills ? lod_copy_fill_end(run->from) : lod_io_buffer_reach(run->from);
    const uint64_t largest = run->from + largest_load(walk);
    run->reach = here ? walk->buffer->to : largest < reach ? largest : reach;
}

/* Gathers the next run of absent frames; an empty run means the end. */
static void gather(struct walk *walk, struct run *run)
{
    uint64_t gap_max = lod_io_estimate_gap(&walk->fetch->estimate);
    struct lod_place place = {0};

    for (run->count = 0; run->count < RUN_FRAMES && move_to_frame(walk, &place); walk->frame++) {
        struct lod_key key = lod_fetch_key(walk->recd, walk->slot, walk->group, walk->frame);
        if (run->count &&
            (place.offset - run->to > gap_max || place.offset + place.bytes > run->reach)) {
            break;
        }
        if (!is_absent(walk, key) && (!walk->fills || lod_copy_has(walk->record, &place))) {
            continue;
        }
        if (!run->count) {
            begin_run(walk, run, &place);
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
 * Counts the loads since `before` as requests for prefixes. An error without a load is a failed
 * request. An error after a load concerns its contents. Bytes from a local copy are not counted,
 * since they say nothing about the store's speed.
 */
static int account(struct walk *walk, const struct lod_io_buffer *before, int error)
{
    const uint64_t copied = walk->buffer->copied_bytes - before->copied_bytes;
    const uint64_t bytes = walk->buffer->bytes - before->bytes - copied;
    const uint64_t loads = walk->buffer->loads - before->loads;

    if (loads && !copied) {
        lod_io_estimate_add_timed(&walk->fetch->estimate, bytes,
                                  (walk->buffer->first_byte_ns - before->first_byte_ns) / loads,
                                  walk->buffer->ns - before->ns);
    }
    if (loads && bytes) {
        count(&walk->fetch->prefix_reads, loads);
        count(&walk->fetch->prefix_bytes, bytes);
        count(&walk->fetch->load_bytes[walk->buffer->class], bytes);
        count(&walk->fetch->outcomes[lod_outcome_of(0)], loads);
    } else if (error && !loads) {
        count(&walk->fetch->outcomes[lod_outcome_of(error)], 1);
    }
    return error;
}

static int load(struct walk *walk, const struct run *run)
{
    const struct lod_io_buffer before = *walk->buffer;

    if (lod_io_buffer_at(walk->buffer, run->from, run->to - run->from)) {
        return 0;
    }
    return account(walk, &before, lod_record_load(walk->record, walk->buffer, run->from, run->to));
}

/* Returns the end of the next load of a shared store's [at, to). That is the last large-page
 * boundary that fits the buffer and about a second, or `to`. */
static uint64_t whole_pages(uint64_t at, uint64_t to, uint64_t largest)
{
    const uint64_t most = largest < LOD_IO_BUFFER_BYTES ? largest : LOD_IO_BUFFER_BYTES;
    const uint64_t end = (at + most) / LOD_LOAD_PAGE * LOD_LOAD_PAGE;

    return to <= at + most ? to : end > at ? end : at + most;
}

/* Returns how far a record is loaded when it is opened: at most to the end of
 * groups 1 .. `last`. */
static uint64_t front_of(const struct walk *walk)
{
    uint64_t end = lod_record_desc_end(walk->recd, walk->group == 1 ? walk->last : 0);
    uint64_t largest = largest_load(walk);

    return walk->fetch->shared ? whole_pages(0, end, largest) : end < largest ? end : largest;
}

static int open_record(struct walk *walk, const struct lod_item *item)
{
    const struct lod_io_buffer before = *walk->buffer;

    return account(walk, &before,
                   lod_dataset_record_loaded(walk->fetch->dataset, item, walk->buffer,
                                             front_of(walk), &walk->record));
}

/* ------------------------------------------------------------------------------ keeping */

static size_t room_of(const struct piece *piece)
{
    const struct spot *spots = piece->run->spots, *last = &spots[piece->end - 1];

    return (piece->end - piece->first) * sizeof(struct lod_frame_entry) +
           (size_t)(last->place.offset + last->place.bytes - spots[piece->first].place.offset);
}

/* Sets the end of the piece: as many spots as fit into a chunk, at least one. */
static void cut(struct walk *walk, struct piece *piece)
{
    size_t left = lod_frame_arena_left(walk->fetch->arena, walk->kind);
    size_t room = left >= PIECE_LEAST ? left : lod_frame_arena_usual(walk->fetch->arena);

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
        lod_frame_arena_take(walk->fetch->arena, heads + bytes, walk->kind, &piece->chunk);

    if (!at) {
        return false;
    }
    memcpy(at + heads, lod_io_buffer_at(walk->buffer, spots[0].place.offset, bytes), bytes);
    piece->entries = (struct lod_frame_entry *)(void *)at;
    for (unsigned i = 0; i < count; i++) {
        piece->entries[i] = (struct lod_frame_entry){
            .flight.key = spots[i].key,
            .next = i + 1 < count ? &piece->entries[i + 1] : NULL,
            .chunk = piece->chunk,
            .data = at + heads + (spots[i].place.offset - spots[0].place.offset),
            .bytes = spots[i].place.bytes,
        };
    }
    lod_fetch_own(piece->chunk, &piece->entries[0], &piece->entries[count - 1]);
    /*
     * Prefetched and not yet requested: mark it referenced, so that CLOCK spares it for one pass.
     */
    atomic_store_explicit(&piece->chunk->touched, true, memory_order_relaxed);
    return true;
}

/* Publishes the frames of the piece, except those that another thread has fetched meanwhile. */
static void publish(struct walk *walk, struct piece *piece)
{
    for (unsigned i = 0; i < piece->end - piece->first; i++) {
        struct lod_frame_entry *entry = &piece->entries[i];
        struct lod_flight_shard *shard = lod_fetch_shard(walk->fetch, entry->flight.key);
        pthread_mutex_lock(&shard->lock);
        struct lod_flight *other = lod_flight_find(shard, entry->flight.key);
        if (!other) {
            lod_flight_link(shard, &entry->flight);
            lod_flight_complete(shard, &entry->flight, 0);
        }
        int error = pin(walk, other ? other : &entry->flight);
        pthread_mutex_unlock(&shard->lock);
        walk->error = walk->error ? walk->error : error;
    }
}

static int keep(struct walk *walk, const struct run *run)
{
    struct piece piece = {.run = run};

    for (; piece.first < run->count; piece.first = piece.end) {
        cut(walk, &piece);
        if (!copy(walk, &piece)) {
            return -ENOMEM;
        }
        publish(walk, &piece);
        lod_blob_unref(&piece.chunk->blob);
    }
    return 0;
}

/* Loads the absent frames of a private store into chunks. */
static int fetch_frames(struct walk *walk, lod_prefix_fetch_step step, void *ctx)
{
    struct run *run = malloc(sizeof(*run));
    int error = run ? 0 : -ENOMEM;

    while (!error) {
        gather(walk, run);
        if (!run->count) {
            break;
        }
        error = load(walk, run);
        error = error ? error : keep(walk, run);
        error = error || step(ctx) ? error : -EAGAIN;
        lod_record_offer(walk->record, walk->buffer);
    }
    lod_record_offer(walk->record, walk->buffer); /* the load that opened it */
    free(run);
    return error ? error : walk->error;
}

/* Returns whether these bytes are in the page cache, where a load measures memory only. */
static bool is_in_memory(const struct walk *walk, uint64_t from, uint64_t to)
{
    const struct lod_place place = {.offset = from, .bytes = (uint32_t)(to - from)};
    bool is = false;

    return !lod_record_in_memory(walk->record, &place, &is) && is;
}

/* Loads bytes of a shared store up to `to`, at most as much as one load is worth. */
static int load_piece(struct walk *walk, uint64_t *at, uint64_t to)
{
    const uint64_t end = whole_pages(*at, to, largest_load(walk));
    const struct lod_io_buffer before = *walk->buffer;

    if (is_in_memory(walk, *at, end)) {
        *at = end;
        return 0;
    }
    int error = account(walk, &before, lod_record_load(walk->record, walk->buffer, *at, end));
    *at = walk->buffer->to;
    return error;
}

/* Loads the same bytes of a shared store, so that they stay in the kernel's page cache. */
static int fill_page_cache(struct walk *walk, lod_prefix_fetch_step step, void *ctx)
{
    uint64_t at, to;
    int error = 0;
    lod_record_groups(walk->record, walk->group, walk->last, &at, &to);
    if (lod_io_buffer_at(walk->buffer, at, 1)) { /* loaded when the record was opened */
        at = walk->buffer->to;
        error = step(ctx) ? 0 : -EAGAIN;
    }
    while (!error && at < to) {
        error = load_piece(walk, &at, to);
        error = error || step(ctx) ? error : -EAGAIN;
    }
    return at >= to ? 0 : error;
}

int lod_prefix_fetch(struct lod_fetch *fetch, struct lod_io_buffer *buffer,
                     const struct lod_item *item, struct lod_groups groups,
                     struct lod_frame_pins *pins, lod_prefix_fetch_step step, void *ctx)
{
    uint64_t room = 0;
    struct walk walk = {
        .fetch = fetch,
        .buffer = buffer,
        .fills = lod_dataset_copies(fetch->dataset, item->recd.header_hash, &room) && room,
        .recd = &item->recd,
        .pins = pins,
        .kind = pins ? LOD_CHUNK_LISTED : LOD_CHUNK_RETAINED,
        .group = groups.first,
        .last = groups.last};

    lod_io_buffer_clear(buffer);
    int error = open_record(&walk, item);
    if (error) {
        return error;
    }
    error = fetch->shared ? fill_page_cache(&walk, step, ctx) : fetch_frames(&walk, step, ctx);
    lod_record_close(walk.record);
    return error;
}
