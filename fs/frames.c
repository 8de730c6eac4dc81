/* SPDX-License-Identifier: Apache-2.0 */
/* Frames out of the cache, which reads each once however many ask for it. */
#include "frames.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "log.h"

/* One frame as the cache's fill wants it. */
struct wanted {
    struct lod_dataset *dataset;
    const struct lod_item *item;
    unsigned group;
    uint64_t frame;
};

#define KEY_GROUP_AT 56 /* a frame's number has at most 47 bits: 2^63 bytes in frames of 2^16 */

struct lod_key lod_frames_key(const struct lod_item *item, unsigned group, uint64_t number)
{
    uint32_t slot = item->number - item->recd.first_item;

    return (struct lod_key){
        .high = (uint64_t)item->recd.number << 32 | slot,
        .low = (uint64_t)group << KEY_GROUP_AT | number,
    };
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    const struct wanted *wanted = ctx;

    (void)key;
    return lod_dataset_frame(wanted->dataset, wanted->item, wanted->group, wanted->frame, ret_blob);
}

int lod_frames_get(struct lod_dataset *dataset, struct lod_cache *cache,
                   const struct lod_item *item, const struct lod_piece *piece, uint64_t done,
                   struct lod_frame *ret_frame)
{
    unsigned shift = item->recd.frame_shift;
    uint64_t at = piece->offset + done, skip = at & ((1ull << shift) - 1);
    uint64_t bytes = (1ull << shift) - skip, left = piece->bytes - done;
    struct wanted wanted = {
        .dataset = dataset, .item = item, .group = piece->group, .frame = at >> shift};
    struct lod_blob *blob = NULL;

    assert(piece->kind == LOD_PIECE_STORED && done < piece->bytes);
    int error = lod_cache_get(cache, lod_frames_key(item, piece->group, wanted.frame), fill,
                              &wanted, &blob);
    if (error) {
        return error;
    }
    bytes = bytes < left ? bytes : left;
    if (skip + bytes > blob->bytes) {
        lod_log(LOD_LOG_ERROR, "item %u group %u: the record holds less than the index says",
                item->number, piece->group);
        lod_blob_unref(blob);
        return -EIO;
    }
    *ret_frame = (struct lod_frame){.blob = blob, .at = blob->data + skip, .bytes = bytes};
    return 0;
}

static int copy_stored(struct lod_dataset *dataset, struct lod_cache *cache,
                       const struct lod_item *item, const struct lod_piece *piece, uint8_t *into)
{
    struct lod_frame frame;

    for (uint64_t done = 0; done < piece->bytes; done += frame.bytes) {
        int error = lod_frames_get(dataset, cache, item, piece, done, &frame);
        if (error) {
            return error;
        }
        memcpy(into + done, frame.at, frame.bytes);
        lod_blob_unref(frame.blob);
    }
    return 0;
}

int lod_frames_copy(struct lod_dataset *dataset, struct lod_cache *cache,
                    const struct lod_item *item, const struct lod_plan *plan, uint8_t *into)
{
    int error = 0;

    for (unsigned i = 0; i < plan->count && !error; i++) {
        const struct lod_piece *piece = &plan->pieces[i];
        if (piece->kind == LOD_PIECE_MEM) {
            memcpy(into, piece->mem, piece->bytes);
        } else if (piece->kind == LOD_PIECE_TEXT) {
            memcpy(into, plan->text + piece->offset, piece->bytes);
        } else {
            error = copy_stored(dataset, cache, item, piece, into);
        }
        into += piece->bytes;
    }
    return error;
}
