/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers one read. The plan is cut to the range. Its stored pieces become frames and its made
 * pieces become units. The answer is a list of spans of their checked bytes. lod_reader_read
 * allocates nothing, and this file does no I/O of its own.
 */
#include "read/reader_state.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "frames/frame_parts.h"

/* Appends a span. Frames of one request are adjacent in memory and become one span, which the
 * kernel copies faster. */
static void add_span(struct lod_read *read, const uint8_t *at, uint64_t bytes)
{
    struct iovec *last = read->count ? &read->iov[read->count - 1] : NULL;

    read->bytes += bytes;
    if (last && (const uint8_t *)last->iov_base + last->iov_len == at) {
        last->iov_len += (size_t)bytes;
        return;
    }
    assert(read->count < LOD_READ_SPANS_MAX);
    /* writev takes a pointer to non-const, and does not write through it. */
    read->iov[read->count++] = (struct iovec){
        .iov_base = (void *)(uintptr_t)at,
        .iov_len = (size_t)bytes,
    };
}

/* Returns the part that begins at byte `done` of a piece, which may be only a part of its form. */
static struct lod_unit_part part_of(const struct lod_item *item, const struct lod_piece *piece,
                                    uint64_t made_bytes, uint64_t done)
{
    const uint64_t unit_bytes = item->codec->maker->unit_bytes(item->row, piece->form);
    const uint64_t at = piece->offset + done;

    return (struct lod_unit_part){.item = item,
                                  .form = piece->form,
                                  .made_bytes = made_bytes,
                                  .unit_bytes = unit_bytes,
                                  .at = at,
                                  .bytes =
                                      lod_least(unit_bytes - at % unit_bytes, piece->bytes - done)};
}

static void note_part(struct lod_reader *reader, const struct lod_unit_part *part)
{
    lod_readahead_note(reader->ahead, part->item, part->form, part->unit_bytes, part->made_bytes,
                       part->at, part->bytes);
}

/* `made_bytes` is the size of the whole form; `piece` may be only the part of it that is read. */
static int add_made(struct lod_reader *reader, const struct lod_item *item,
                    const struct lod_piece *piece, uint64_t made_bytes, struct lod_read *read)
{
    struct lod_unit_part part;

    for (uint64_t done = 0; done < piece->bytes; done += part.bytes) {
        struct lod_blob *blob = NULL;
        part = part_of(item, piece, made_bytes, done);
        int error = lod_unit_cache_get(&reader->made, &part, &blob);
        if (error) {
            return error;
        }
        read->blobs[read->blobs_count++] = blob;
        add_span(read, blob->data + part.at % part.unit_bytes, part.bytes);
        note_part(reader, &part);
    }
    return 0;
}

/* Moves the references from `parts` to `read`. */
static void keep(struct lod_frame_parts *parts, struct lod_read *read)
{
    for (unsigned i = 0; i < parts->wanted_count; i++) {
        read->blobs[read->blobs_count++] = &parts->wanted[i].chunk->blob;
    }
    parts->wanted_count = 0;
}

int lod_reader_read(struct lod_reader *reader, const struct lod_item *item,
                    const struct lod_plan *plan, uint64_t offset, uint64_t bytes,
                    struct lod_read *ret_read)
{
    struct lod_frame_parts parts;
    struct lod_plan cut;

    assert(bytes <= LOD_READ_BYTES_MAX && item->recd.frame_shift >= LOD_FRAME_SHIFT_MIN);
    lod_plan_cut(plan, offset, bytes, &cut);
    ret_read->bytes = 0;
    ret_read->count = ret_read->blobs_count = 0;
    int error = lod_frame_parts_get(reader->frames, item, &cut, &parts);
    if (!error) {
        keep(&parts, ret_read);
    }
    for (unsigned i = 0; !error && i < parts.count; i++) {
        const struct lod_frame_part *part = &parts.part[i];
        if (part->piece->kind == LOD_PIECE_MADE) {
            error = add_made(reader, item, part->piece,
                             lod_plan_made_bytes(plan, part->piece->form), ret_read);
        } else {
            add_span(ret_read, lod_frame_part_at(plan, &parts, part), part->bytes);
        }
    }
    if (error) {
        atomic_fetch_add_explicit(&reader->failed, 1, memory_order_relaxed);
        lod_read_finish(ret_read);
        return lod_error_is_temporary(error) ? error : -EIO;
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

uint32_t lod_reader_run(struct lod_reader *reader, const struct lod_item *item, uint32_t count,
                        unsigned first, unsigned last)
{
    return lod_frames_run(reader->frames, item, count, first, last);
}

static void copy(const struct lod_read *read, uint8_t *into)
{
    for (unsigned i = 0; i < read->count; i++) {
        memcpy(into, read->iov[i].iov_base, read->iov[i].iov_len);
        into += read->iov[i].iov_len;
    }
}

/* A range of a file that is copied into the caller's memory. */
struct copying {
    struct lod_reader *reader;
    const struct lod_item *item;
    const struct lod_plan *plan;
    bool keeps; /* made units, in the cache */
};

/* Copies a range that has no made piece. */
static int copy_stored(const struct copying *c, uint64_t offset, uint8_t *into, uint64_t bytes)
{
    struct lod_read *read = malloc(sizeof(*read)); /* too large for small threads' stacks */
    int error = read ? 0 : -ENOMEM;

    for (uint64_t done = 0; !error && done < bytes;) {
        const uint64_t step = lod_least(bytes - done, LOD_READ_BYTES_MAX);
        error = lod_reader_read(c->reader, c->item, c->plan, offset + done, step, read);
        if (!error) {
            copy(read, into + done);
            done += read->bytes;
            lod_read_finish(read);
        }
    }
    free(read);
    return error;
}

/* Copies a part of a unit. A whole unit that is not kept is made at `into`. */
static int copy_part(const struct copying *c, const struct lod_unit_part *part, uint8_t *into)
{
    struct lod_reader *reader = c->reader;
    const uint64_t unit = part->at / part->unit_bytes;
    const uint64_t left = part->made_bytes - unit * part->unit_bytes;
    struct lod_blob *blob = NULL;

    if (!c->keeps && part->bytes == lod_least(left, part->unit_bytes)) {
        atomic_fetch_add_explicit(&reader->once, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&reader->once_bytes, part->bytes, memory_order_relaxed);
        return lod_unit_make(&reader->made, part, into);
    }
    int error = lod_unit_cache_get(&reader->made, part, &blob);
    if (!error) {
        memcpy(into, blob->data + part->at % part->unit_bytes, (size_t)part->bytes);
        lod_blob_unref(blob);
    }
    return error;
}

/* Copies a made piece, which may be cut. Each unit is requested once, so it works even if the cache
 * has no room for a unit. */
static int copy_made(const struct copying *c, const struct lod_piece *piece, uint8_t *into)
{
    struct lod_reader *reader = c->reader;
    const uint64_t made_bytes = lod_plan_made_bytes(c->plan, piece->form);
    struct lod_unit_part part;
    int error = 0;

    for (uint64_t done = 0; !error && done < piece->bytes; done += part.bytes) {
        part = part_of(c->item, piece, made_bytes, done);
        error = copy_part(c, &part, into + done);
        if (!error && c->keeps) {
            note_part(reader, &part);
        }
    }
    atomic_fetch_add_explicit(error ? &reader->failed : &reader->reads, 1, memory_order_relaxed);
    if (!error) {
        atomic_fetch_add_explicit(&reader->bytes, piece->bytes, memory_order_relaxed);
    }
    return error && !lod_error_is_temporary(error) ? -EIO : error;
}

/* Copies made pieces one by one, and the pieces between two of them together. */
static int copy_range(const struct copying *c, uint64_t offset, uint8_t *into, size_t bytes)
{
    struct lod_plan cut;
    int error = 0;

    assert(offset <= c->plan->bytes && bytes <= c->plan->bytes - offset);
    lod_plan_cut(c->plan, offset, bytes, &cut);
    for (uint64_t i = 0, done = 0; !error && i < cut.count;) {
        const struct lod_piece *piece = &cut.pieces[i++];
        uint64_t run = piece->bytes;
        if (piece->kind == LOD_PIECE_MADE) {
            error = copy_made(c, piece, into + done);
        } else {
            for (; i < cut.count && cut.pieces[i].kind != LOD_PIECE_MADE; i++) {
                run += cut.pieces[i].bytes;
            }
            error = copy_stored(c, offset + done, into + done, run);
        }
        done += run;
    }
    return error;
}

int lod_reader_read_into(struct lod_reader *reader, const struct lod_item *item,
                         const struct lod_plan *plan, uint64_t offset, uint8_t *into, size_t bytes)
{
    const struct copying all = {.reader = reader, .item = item, .plan = plan, .keeps = true};

    return copy_range(&all, offset, into, bytes);
}

int lod_reader_read_once(struct lod_reader *reader, const struct lod_item *item,
                         const struct lod_plan *plan, uint64_t offset, uint8_t *into, size_t bytes)
{
    const struct copying all = {.reader = reader, .item = item, .plan = plan, .keeps = false};

    return copy_range(&all, offset, into, bytes);
}

int lod_reader_make_series(struct lod_reader *reader, const struct lod_item *item,
                           const struct lod_series *series, unsigned last, uint8_t *into,
                           uint64_t bytes)
{
    const unsigned forms = last - series->first + 1;

    atomic_fetch_add_explicit(&reader->once, forms, memory_order_relaxed);
    atomic_fetch_add_explicit(&reader->once_bytes, forms * bytes, memory_order_relaxed);
    int error = lod_unit_make_series(&reader->made, item, series, last, bytes, into);
    return error && !lod_error_is_temporary(error) ? -EIO : error;
}
