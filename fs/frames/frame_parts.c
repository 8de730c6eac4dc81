/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic over a plan. All its frames are requested in one call. See frame_parts.h. */
#include "frames/frame_parts.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "log.h"

/* Returns the index in `wanted` of the frame in which `part` begins. Adds the frame unless it is
 * the last one. */
static unsigned want(struct lod_frame_parts *parts, unsigned group, uint64_t frame)
{
    const struct lod_wanted *last =
        parts->wanted_count ? &parts->wanted[parts->wanted_count - 1] : NULL;

    if (!last || last->group != group || last->frame != frame) {
        assert(parts->wanted_count < LOD_FETCH_MAX);
        parts->wanted[parts->wanted_count++] = (struct lod_wanted){.group = group, .frame = frame};
    }
    return parts->wanted_count - 1;
}

static void add_part(struct lod_frame_parts *parts, struct lod_frame_part part)
{
    assert(parts->count < LOD_FETCH_MAX);
    parts->part[parts->count++] = part;
}

static void cut_stored(const struct lod_item *item, const struct lod_piece *piece,
                       struct lod_frame_parts *parts)
{
    const uint64_t frame_bytes = 1ull << item->recd.frame_shift;

    for (uint64_t done = 0, bytes; done < piece->bytes; done += bytes) {
        uint64_t at = piece->offset + done, skip = at & (frame_bytes - 1);
        uint64_t left = piece->bytes - done;
        bytes = frame_bytes - skip < left ? frame_bytes - skip : left;
        unsigned number = want(parts, piece->group, at >> item->recd.frame_shift);
        add_part(parts, (struct lod_frame_part){piece, number, skip, bytes});
    }
}

/*
 * Compares the parts with the frames. They differ if the rows in index and record are malformed in
 * the same way, so that the plan is too long.
 */
static int check_parts(const struct lod_item *item, const struct lod_frame_parts *parts)
{
    for (unsigned i = 0; i < parts->count; i++) {
        const struct lod_frame_part *part = &parts->part[i];
        if (part->piece->kind == LOD_PIECE_STORED &&
            part->skip + part->bytes > parts->wanted[part->wanted].bytes) {
            lod_log(LOD_LOG_ERROR, "item %u group %u: the record holds less than the index says",
                    item->number, part->piece->group);
            return -EIO;
        }
    }
    return 0;
}

int lod_frame_parts_get(struct lod_frames *frames, const struct lod_item *item,
                        const struct lod_plan *plan, struct lod_frame_parts *ret_parts)
{
    ret_parts->count = ret_parts->wanted_count = 0;
    for (unsigned i = 0; i < plan->count; i++) {
        const struct lod_piece *piece = &plan->pieces[i];
        if (piece->kind == LOD_PIECE_STORED) {
            cut_stored(item, piece, ret_parts);
        } else {
            add_part(ret_parts, (struct lod_frame_part){piece, 0, 0, piece->bytes});
        }
    }
    if (!ret_parts->wanted_count) {
        /* a read without frames is not counted: it would hide a move to the next record */
        return 0;
    }
    int error = lod_frames_get(frames, item, ret_parts->wanted, ret_parts->wanted_count);
    if (!error) {
        error = check_parts(item, ret_parts);
        if (error) {
            lod_frame_parts_drop(ret_parts);
        }
    }
    return error;
}

void lod_frame_parts_drop(struct lod_frame_parts *parts)
{
    for (unsigned i = 0; i < parts->wanted_count; i++) {
        lod_blob_unref(&parts->wanted[i].chunk->blob);
    }
    parts->count = parts->wanted_count = 0;
}

const uint8_t *lod_frame_part_at(const struct lod_plan *plan, const struct lod_frame_parts *parts,
                                 const struct lod_frame_part *part)
{
    switch (part->piece->kind) {
    case LOD_PIECE_MEM:
        return part->piece->mem;
    case LOD_PIECE_TEXT:
        return plan->text + part->piece->offset;
    default:
        return parts->wanted[part->wanted].data + part->skip;
    }
}

int lod_frame_parts_copy(struct lod_frames *frames, const struct lod_item *item,
                         const struct lod_plan *plan, uint8_t *into)
{
    struct lod_frame_parts parts;
    struct lod_plan cut;

    for (uint64_t at = 0; at < plan->bytes; at += cut.bytes) {
        lod_plan_cut(plan, at, LOD_FETCH_BYTES_MAX, &cut);
        int error = lod_frame_parts_get(frames, item, &cut, &parts);
        if (error) {
            return error;
        }
        for (unsigned i = 0; i < parts.count; i++) {
            memcpy(into, lod_frame_part_at(plan, &parts, &parts.part[i]), parts.part[i].bytes);
            into += parts.part[i].bytes;
        }
        lod_frame_parts_drop(&parts);
    }
    return 0;
}
