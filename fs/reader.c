/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read is its plan cut to the range, then span by span: constant bytes as they are, stored bytes
 * frame by frame, made bytes unit by unit, both out of one cache. No allocation and no I/O of its
 * own.
 */
#include "reader.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "budget.h"
#include "frames.h"
#include "made.h"

struct lod_reader {
    struct lod_dataset *dataset; /* borrowed */
    struct lod_cache *cache;     /* frames, and what is made of them */
    struct lod_budget work;      /* promised to makers */
    uint64_t cache_bytes;
    atomic_uint_fast64_t reads, failed, bytes;
};

int lod_reader_create(struct lod_dataset *dataset, uint64_t cache_bytes, uint64_t work_bytes,
                      struct lod_reader **ret_reader)
{
    struct lod_reader *reader = calloc(1, sizeof(*reader));

    if (!reader) {
        return -ENOMEM;
    }
    int error = lod_cache_create((size_t)cache_bytes, &reader->cache);
    if (error) {
        free(reader);
        return error;
    }
    reader->dataset = dataset;
    reader->cache_bytes = cache_bytes;
    lod_budget_init(&reader->work, work_bytes);
    *ret_reader = reader;
    return 0;
}

struct lod_reader *lod_reader_destroy(struct lod_reader *reader)
{
    if (reader) {
        lod_cache_destroy(reader->cache);
        lod_budget_finish(&reader->work);
    }
    free(reader);
    return NULL;
}

void lod_reader_stats(struct lod_reader *reader, struct lod_reader_stats *ret_stats)
{
    struct lod_cache_stats cache = lod_cache_stats(reader->cache);

    *ret_stats = (struct lod_reader_stats){
        .reads = atomic_load_explicit(&reader->reads, memory_order_relaxed),
        .reads_failed = atomic_load_explicit(&reader->failed, memory_order_relaxed),
        .reads_bytes = atomic_load_explicit(&reader->bytes, memory_order_relaxed),
        .cache_hits = cache.hits,
        .cache_misses = cache.misses,
        .cache_evictions = cache.evictions,
        .cache_bytes = cache.bytes,
        .cache_bytes_max = reader->cache_bytes,
    };
}

const char *lod_advice_name(enum lod_advice advice)
{
    static const char *const names[] = {"none", "cache_size", "order"};

    return names[advice];
}

static void add_span(struct lod_read *read, const uint8_t *at, uint64_t bytes)
{
    assert(read->count < LOD_READ_SPANS_MAX);
    /* writev takes a pointer to non-const, and does not write through it. */
    read->iov[read->count++] = (struct iovec){
        .iov_base = (void *)(uintptr_t)at,
        .iov_len = (size_t)bytes,
    };
    read->bytes += bytes;
}

static void add_blob(struct lod_read *read, struct lod_blob *blob, const uint8_t *at,
                     uint64_t bytes)
{
    read->blobs[read->blobs_count++] = blob;
    add_span(read, at, bytes);
}

static int add_stored(struct lod_reader *reader, const struct lod_item *item,
                      const struct lod_piece *piece, struct lod_read *read)
{
    struct lod_frame frame;

    for (uint64_t done = 0; done < piece->bytes; done += frame.bytes) {
        int error = lod_frames_get(reader->dataset, reader->cache, item, piece, done, &frame);
        if (error) {
            return error;
        }
        add_blob(read, frame.blob, frame.at, frame.bytes);
    }
    return 0;
}

/* `made_bytes`: of the whole plan's MADE piece, which is cut like every other. */
static int add_made(struct lod_reader *reader, const struct lod_item *item,
                    const struct lod_piece *piece, uint64_t made_bytes, struct lod_read *read)
{
    uint64_t unit_bytes = item->codec->maker->unit_bytes(item->row, piece->form);

    for (uint64_t done = 0, bytes; done < piece->bytes; done += bytes) {
        uint64_t at = piece->offset + done, skip = at % unit_bytes;
        struct lod_blob *blob = NULL;
        int error = lod_made_get(reader->dataset, reader->cache, &reader->work, item, piece->form,
                                 at / unit_bytes, made_bytes, &blob);
        if (error) {
            return error;
        }
        bytes = unit_bytes - skip < piece->bytes - done ? unit_bytes - skip : piece->bytes - done;
        add_blob(read, blob, blob->data + skip, bytes);
    }
    return 0;
}

static uint64_t made_bytes_of(const struct lod_plan *plan)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < plan->count; i++) {
        bytes += plan->pieces[i].kind == LOD_PIECE_MADE ? plan->pieces[i].bytes : 0;
    }
    return bytes;
}

static int add_piece(struct lod_reader *reader, const struct lod_item *item,
                     const struct lod_plan *plan, const struct lod_piece *piece,
                     struct lod_read *read)
{
    switch (piece->kind) {
    case LOD_PIECE_STORED:
        return add_stored(reader, item, piece, read);
    case LOD_PIECE_MADE:
        return add_made(reader, item, piece, made_bytes_of(plan), read);
    case LOD_PIECE_TEXT:
        add_span(read, plan->text + piece->offset, piece->bytes);
        break;
    case LOD_PIECE_MEM:
        add_span(read, piece->mem, piece->bytes);
    }
    return 0;
}

int lod_reader_read(struct lod_reader *reader, const struct lod_item *item,
                    const struct lod_plan *plan, uint64_t offset, uint64_t bytes,
                    struct lod_read *ret_read)
{
    struct lod_plan cut;
    int error = 0;

    assert(bytes <= LOD_READ_BYTES_MAX && item->recd.frame_shift >= LOD_FRAME_SHIFT_MIN);
    lod_plan_cut(plan, offset, bytes, &cut);
    ret_read->bytes = 0;
    ret_read->count = ret_read->blobs_count = 0;
    for (unsigned i = 0; i < cut.count && !error; i++) {
        error = add_piece(reader, item, plan, &cut.pieces[i], ret_read);
    }
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
        lod_blob_unref(read->blobs[--read->blobs_count]);
    }
    read->count = 0;
    read->bytes = 0;
}
