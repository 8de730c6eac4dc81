/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read is its plan cut to the range, then span by span: constant bytes as they are, stored bytes
 * frame by frame, made bytes unit by unit, both under one budget. No allocation and no I/O of its
 * own.
 */
#include "reader.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "ahead.h"
#include "budget.h"
#include "frame_parts.h"
#include "made.h"
#include "made_ahead.h"

struct lod_reader {
    struct lod_dataset *dataset; /* borrowed */
    struct lod_room room;        /* of frames and cache together */
    struct lod_frames *frames;
    struct lod_cache *cache; /* what is made of frames */
    struct lod_budget work;  /* promised to makers */
    struct lod_spare spare;  /* of what they made */
    struct lod_made_in made; /* of all these */
    struct lod_ahead *ahead; /* units that are about to be asked for */
    atomic_uint_fast64_t reads, failed, bytes;
};

/* One a processor; with one alone there is nobody to make anything meanwhile. */
static unsigned ahead_threads(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors < 2                       ? 0
           : processors > LOD_AHEAD_THREADS_MAX ? LOD_AHEAD_THREADS_MAX
                                                : (unsigned)processors;
}

int lod_reader_create(struct lod_dataset *dataset, uint64_t cache_bytes, uint64_t work_bytes,
                      struct lod_reader **ret_reader)
{
    struct lod_reader *reader = calloc(1, sizeof(*reader));

    if (!reader) {
        return -ENOMEM;
    }
    reader->dataset = dataset;
    reader->room.bytes_max = (size_t)cache_bytes;
    lod_budget_init(&reader->work, work_bytes);
    lod_spare_init(&reader->spare);
    int error = lod_frames_create(dataset, &reader->room, &reader->frames);
    error = error ? error
                  : lod_cache_create_in(&reader->room, lod_frames_shrink, reader->frames,
                                        &reader->cache);
    reader->made = (struct lod_made_in){.dataset = dataset,
                                        .frames = reader->frames,
                                        .cache = reader->cache,
                                        .work = &reader->work,
                                        .spare = &reader->spare};
    error = error
                ? error
                : lod_ahead_create(ahead_threads(), &lod_made_ahead, &reader->made, &reader->ahead);
    if (error) {
        lod_reader_destroy(reader);
        return error;
    }
    *ret_reader = reader;
    return 0;
}

void lod_reader_use_devices(struct lod_reader *reader, struct lod_devices *devices)
{
    reader->made.devices = devices;
}

struct lod_devices *lod_reader_devices(struct lod_reader *reader)
{
    return reader->made.devices;
}

struct lod_reader *lod_reader_destroy(struct lod_reader *reader)
{
    if (reader) {
        lod_ahead_destroy(reader->ahead);
        lod_cache_destroy(reader->cache);
        lod_frames_destroy(reader->frames);
        lod_budget_finish(&reader->work);
        lod_spare_finish(&reader->spare);
    }
    free(reader);
    return NULL;
}

void lod_reader_stats(struct lod_reader *reader, struct lod_reader_stats *ret_stats)
{
    struct lod_cache_stats cache = lod_cache_stats(reader->cache);
    struct lod_frames_stats frames;
    lod_frames_stats(reader->frames, &frames);

    *ret_stats = (struct lod_reader_stats){
        .reads = atomic_load_explicit(&reader->reads, memory_order_relaxed),
        .reads_failed = atomic_load_explicit(&reader->failed, memory_order_relaxed),
        .reads_bytes = atomic_load_explicit(&reader->bytes, memory_order_relaxed),
        .store_reads = frames.scattered_reads + frames.prefix_reads,
        .store_bytes = frames.scattered_bytes + frames.prefix_bytes,
        .scattered_reads = frames.scattered_reads,
        .scattered_bytes = frames.scattered_bytes,
        .prefix_reads = frames.prefix_reads,
        .prefix_bytes = frames.prefix_bytes,
        .cache_hits = frames.hits + cache.hits,
        .cache_misses = frames.misses + cache.misses,
        .cache_evictions = frames.evictions + cache.evictions,
        .cache_bytes = atomic_load(&reader->room.bytes),
        .cache_bytes_max = reader->room.bytes_max,
        .made = cache.misses, /* a miss of this cache is a run of a maker */
        .made_bytes = cache.filled_bytes,
        .record_opens = lod_dataset_record_opens(reader->dataset),
        .frames_bad = frames.frames_bad,
        .store_latency_ns = frames.latency_ns,
        .store_bytes_per_second = frames.bandwidth,
        .advice = frames.advised_bytes == 0            ? LOD_ADVICE_NONE
                  : frames.advised_bytes == UINT64_MAX ? LOD_ADVICE_ORDER
                                                       : LOD_ADVICE_CACHE_SIZE,
        .advice_bytes = frames.advised_bytes,
    };
    memcpy(ret_stats->store_outcomes, frames.outcomes, sizeof(frames.outcomes));
}

const char *lod_advice_name(enum lod_advice advice)
{
    static const char *const names[] = {"none", "cache_size", "order"};

    return names[advice];
}

/* Frames that were read in one go lie side by side: one span, which the kernel walks sooner. */
static bool goes_on(const struct lod_read *read, const uint8_t *at)
{
    const struct iovec *last = read->count ? &read->iov[read->count - 1] : NULL;

    return last && (const uint8_t *)last->iov_base + last->iov_len == at;
}

static void add_span(struct lod_read *read, const uint8_t *at, uint64_t bytes)
{
    read->bytes += bytes;
    if (goes_on(read, at)) {
        read->iov[read->count - 1].iov_len += (size_t)bytes;
        return;
    }
    assert(read->count < LOD_READ_SPANS_MAX);
    /* writev takes a pointer to non-const, and does not write through it. */
    read->iov[read->count++] = (struct iovec){
        .iov_base = (void *)(uintptr_t)at,
        .iov_len = (size_t)bytes,
    };
}

/* `made_bytes`: of the form in the whole plan; its piece is cut like every other. */
static int add_made(struct lod_reader *reader, const struct lod_item *item,
                    const struct lod_piece *piece, uint64_t made_bytes, struct lod_read *read)
{
    uint64_t unit_bytes = item->codec->maker->unit_bytes(item->row, piece->form);

    for (uint64_t done = 0, bytes; done < piece->bytes; done += bytes) {
        uint64_t at = piece->offset + done, skip = at % unit_bytes;
        struct lod_blob *blob = NULL;
        int error =
            lod_made_get(&reader->made, item, piece->form, at / unit_bytes, made_bytes, &blob);
        if (error) {
            return error;
        }
        bytes = unit_bytes - skip < piece->bytes - done ? unit_bytes - skip : piece->bytes - done;
        read->blobs[read->blobs_count++] = blob;
        add_span(read, blob->data + skip, bytes);
        lod_ahead_note(reader->ahead, item, piece->form, unit_bytes, made_bytes, at, bytes);
    }
    return 0;
}

/* The references go from the parts to the read. */
static void keep(struct lod_frame_parts *parts, struct lod_read *read)
{
    for (unsigned i = 0; i < parts->wanted_count; i++) {
        read->blobs[read->blobs_count++] = &parts->wanted[i].chunk->blob;
    }
    parts->wanted_count = 0;
}

static int add_parts(struct lod_reader *reader, const struct lod_item *item,
                     const struct lod_plan *plan, const struct lod_plan *cut, struct lod_read *read)
{
    struct lod_frame_parts parts;

    int error = lod_frame_parts_get(reader->frames, item, cut, &parts);
    if (error) {
        return error;
    }
    keep(&parts, read);
    for (unsigned i = 0; i < parts.count && !error; i++) {
        const struct lod_frame_part *part = &parts.part[i];
        if (part->piece->kind == LOD_PIECE_MADE) {
            error = add_made(reader, item, part->piece,
                             lod_plan_made_bytes(plan, part->piece->form), read);
        } else {
            add_span(read, lod_frame_part_at(plan, &parts, part), part->bytes);
        }
    }
    return error;
}

int lod_reader_read(struct lod_reader *reader, const struct lod_item *item,
                    const struct lod_plan *plan, uint64_t offset, uint64_t bytes,
                    struct lod_read *ret_read)
{
    struct lod_plan cut;

    assert(bytes <= LOD_READ_BYTES_MAX && item->recd.frame_shift >= LOD_FRAME_SHIFT_MIN);
    lod_plan_cut(plan, offset, bytes, &cut);
    ret_read->bytes = 0;
    ret_read->count = ret_read->blobs_count = 0;
    int error = add_parts(reader, item, plan, &cut, ret_read);
    if (error) {
        atomic_fetch_add_explicit(&reader->failed, 1, memory_order_relaxed);
        lod_read_finish(ret_read);
        return error == -ENOMEM || error == -EINTR ? error : -EIO;
    }
    assert(ret_read->bytes == cut.bytes);
    atomic_fetch_add_explicit(&reader->reads, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&reader->bytes, cut.bytes, memory_order_relaxed);
    return 0;
}

void lod_read_finish(struct lod_read *read)
{
    while (read->blobs_count) {
        struct lod_blob *blob = read->blobs[read->blobs_count - 1];
        unsigned refs = 0;
        for (; read->blobs_count && read->blobs[read->blobs_count - 1] == blob; refs++) {
            read->blobs_count--;
        }
        lod_blob_unref_many(blob, refs);
    }
    read->count = 0;
    read->bytes = 0;
}
