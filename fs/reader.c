/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read is its plan cut to the range, then span by span: constant bytes as they are, stored bytes
 * frame by frame out of the cache, which makes a frame once however many ask for it. No allocation
 * and no I/O of its own.
 */
#include "reader.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "log.h"

struct lod_reader {
    struct lod_dataset *dataset; /* borrowed */
    struct lod_cache *frames;
};

/* One frame as the cache's fill wants it. */
struct wanted {
    struct lod_dataset *dataset;
    const struct lod_item *item;
    unsigned group;
    uint64_t frame;
};

#define KEY_GROUP_AT 56 /* a frame's number has at most 47 bits: 2^63 bytes in frames of 2^16 */

int lod_reader_create(struct lod_dataset *dataset, uint64_t cache_bytes,
                      struct lod_reader **ret_reader)
{
    struct lod_reader *reader = calloc(1, sizeof(*reader));

    if (!reader) {
        return -ENOMEM;
    }
    int error = lod_cache_create((size_t)cache_bytes, &reader->frames);
    if (error) {
        free(reader);
        return error;
    }
    reader->dataset = dataset;
    *ret_reader = reader;
    return 0;
}

struct lod_reader *lod_reader_destroy(struct lod_reader *reader)
{
    if (reader) {
        lod_cache_destroy(reader->frames);
    }
    free(reader);
    return NULL;
}

struct lod_cache_stats lod_reader_cache_stats(struct lod_reader *reader)
{
    return lod_cache_stats(reader->frames);
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    const struct wanted *wanted = ctx;

    (void)key;
    return lod_dataset_frame(wanted->dataset, wanted->item, wanted->group, wanted->frame, ret_blob);
}

static struct lod_key key_of(const struct wanted *wanted)
{
    uint32_t slot = wanted->item->number - wanted->item->recd.first_item;

    return (struct lod_key){
        .high = (uint64_t)wanted->item->recd.number << 32 | slot,
        .low = (uint64_t)wanted->group << KEY_GROUP_AT | wanted->frame,
    };
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

/* [skip, skip + bytes) of one frame. */
static int add_frame(struct lod_reader *reader, struct wanted *wanted, uint64_t skip,
                     uint64_t bytes, struct lod_read *read)
{
    struct lod_blob *blob = NULL;
    int error = lod_cache_get(reader->frames, key_of(wanted), fill, wanted, &blob);

    if (error) {
        return error;
    }
    read->blobs[read->blobs_count++] = blob;
    if (skip + bytes > blob->bytes) {
        lod_log(LOD_LOG_ERROR, "item %u group %u: the record holds less than the index says",
                wanted->item->number, wanted->group);
        return -EIO;
    }
    add_span(read, blob->data + skip, bytes);
    return 0;
}

static int add_stored(struct lod_reader *reader, const struct lod_item *item,
                      const struct lod_piece *piece, struct lod_read *read)
{
    uint64_t frame_bytes = 1ull << item->recd.frame_shift;
    struct wanted wanted = {.dataset = reader->dataset, .item = item, .group = piece->group};
    int error = 0;

    for (uint64_t done = 0; done < piece->bytes && !error;) {
        uint64_t at = piece->offset + done, skip = at & (frame_bytes - 1);
        uint64_t bytes = frame_bytes - skip;
        bytes = bytes < piece->bytes - done ? bytes : piece->bytes - done;
        wanted.frame = at >> item->recd.frame_shift;
        error = add_frame(reader, &wanted, skip, bytes, read);
        done += bytes;
    }
    return error;
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
        const struct lod_piece *piece = &cut.pieces[i];
        if (piece->kind == LOD_PIECE_MEM) {
            add_span(ret_read, piece->mem, piece->bytes);
        } else {
            error = add_stored(reader, item, piece, ret_read);
        }
    }
    if (error) {
        lod_read_finish(ret_read);
        return error == -ENOMEM || error == -EINTR ? error : -EIO;
    }
    assert(ret_read->bytes == cut.bytes);
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
