/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan as parts of checked frames: what lies between the reader, which thinks in bytes of a file,
 * and frames.h, which knows no plans. No I/O of its own.
 */
#ifndef LOD_FRAME_PARTS_H
#define LOD_FRAME_PARTS_H

#include <stdint.h>

#include "compiler.h"
#include "frames.h"
#include "plan.h"

/* A part of one piece: of a STORED one, what lies in one frame; of others, all of it. */
struct lod_frame_part {
    const struct lod_piece *piece;
    unsigned wanted; /* STORED: the frame */
    uint64_t skip;   /* STORED: bytes of the frame before it */
    uint64_t bytes;
};

/* The parts of a plan in their order, and the frames they lie in. */
struct lod_frame_parts {
    unsigned count, wanted_count;
    struct lod_frame_part part[LOD_FETCH_MAX];
    struct lod_wanted wanted[LOD_FETCH_MAX];
};

/*
 * Takes a plan of LOD_FETCH_BYTES_MAX bytes at most, which outlives the parts, to pieces, and gets
 * their frames. The caller drops the parts, or takes the references out of `wanted`. -EIO (already
 * logged), -ENOMEM, -EINTR: there is nothing to drop.
 */
LOD_MUST_CHECK int lod_frame_parts_get(struct lod_frames *frames, const struct lod_item *item,
                                       const struct lod_plan *plan,
                                       struct lod_frame_parts *ret_parts);
void lod_frame_parts_drop(struct lod_frame_parts *parts);

/* The bytes of a part that is not MADE; `plan` is what was cut, and holds the text. */
const uint8_t *lod_frame_part_at(const struct lod_plan *plan, const struct lod_frame_parts *parts,
                                 const struct lod_frame_part *part);

/* Copies all of a plan without MADE pieces into `into`, of plan->bytes bytes. */
LOD_MUST_CHECK int lod_frame_parts_copy(struct lod_frames *frames, const struct lod_item *item,
                                        const struct lod_plan *plan, uint8_t *into);

#endif
