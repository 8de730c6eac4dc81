/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides a plan into parts of checked frames. The reader above works with bytes of a file;
 * frames.h below knows no plans. No I/O of its own.
 */
#ifndef LOD_FRAME_PARTS_H
#define LOD_FRAME_PARTS_H

#include <stdint.h>

#include "compiler.h"
#include "frames/frames.h"
#include "plan.h"

/* A part of one piece. A STORED piece has one part for each frame; any other piece is one part. */
struct lod_frame_part {
    const struct lod_piece *piece;
    unsigned wanted; /* STORED: the frame */
    uint64_t skip;   /* STORED: offset in the frame */
    uint64_t bytes;
};

/* The parts of a plan in order, and their frames. */
struct lod_frame_parts {
    unsigned count, wanted_count;
    struct lod_frame_part part[LOD_FETCH_MAX];
    struct lod_wanted wanted[LOD_FETCH_MAX];
};

/*
 * Divides a plan of at most LOD_FETCH_BYTES_MAX bytes and gets its frames. The plan outlives the
 * parts. The caller calls lod_frame_parts_drop, or takes the references out of `wanted`. On -EIO
 * (already logged), or an error of lod_error_is_temporary, there is nothing to drop.
 */
LOD_MUST_CHECK int lod_frame_parts_get(struct lod_frames *frames, const struct lod_item *item,
                                       const struct lod_plan *plan,
                                       struct lod_frame_parts *ret_parts);
void lod_frame_parts_drop(struct lod_frame_parts *parts);

/* Returns the bytes of a part that is not MADE. `plan` is the divided plan; it holds the text. */
const uint8_t *lod_frame_part_at(const struct lod_plan *plan, const struct lod_frame_parts *parts,
                                 const struct lod_frame_part *part);

/* Copies a plan without MADE pieces into `into`, of plan->bytes bytes. */
LOD_MUST_CHECK int lod_frame_parts_copy(struct lod_frames *frames, const struct lod_item *item,
                                        const struct lod_plan *plan, uint8_t *into);

#endif
