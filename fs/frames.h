/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checked frames of stored segments, kept in the mount's cache. Below the reader, which cuts plans
 * into frames, and below made.h, which computes bytes from them.
 */
#ifndef LOD_FRAMES_H
#define LOD_FRAMES_H

#include <stdint.h>

#include "cache.h"
#include "compiler.h"
#include "dataset.h"
#include "plan.h"

/* A part of one segment that lies in one frame. */
struct lod_frame {
    struct lod_blob *blob; /* the whole frame, one reference */
    const uint8_t *at;     /* in it */
    uint64_t bytes;
};

/* A key of `cache`: a frame of groups 1 .. 12, or a unit of what is made of the item (made.h). */
#define LOD_KEY_MADE 0u
struct lod_key lod_frames_key(const struct lod_item *item, unsigned group, uint64_t number);

/*
 * The bytes of a STORED piece from `done` on, as far as its frame goes. -EIO (already logged),
 * -ENOMEM, -EINTR. The caller unrefs the blob.
 */
LOD_MUST_CHECK int lod_frames_get(struct lod_dataset *dataset, struct lod_cache *cache,
                                  const struct lod_item *item, const struct lod_piece *piece,
                                  uint64_t done, struct lod_frame *ret_frame);

/* Copies all of a plan without MADE pieces into `into`, of plan->bytes bytes. */
LOD_MUST_CHECK int lod_frames_copy(struct lod_dataset *dataset, struct lod_cache *cache,
                                   const struct lod_item *item, const struct lod_plan *plan,
                                   uint8_t *into);

#endif
