/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An open record that stays open while it is referenced: where its frames lie, their bytes, and
 * whether those are sound. Logs nothing, keeps no bytes.
 */
#ifndef LOD_PINNED_H
#define LOD_PINNED_H

#include <stdbool.h>
#include <stdint.h>

#include "cache.h"
#include "compiler.h"
#include "dataset.h"
#include "store/record.h"
#include "store/store.h"

struct lod_pinned {
    struct lod_blob blob; /* first: a blob is cast to what embeds it */
    struct lod_record *record;
};

/* The blob of a struct lod_pinned, as a cache's fill wants it; see lod_record_open_staged. */
LOD_MUST_CHECK int lod_pinned_open(struct lod_store *store, const struct lod_recd *recd,
                                   struct lod_stage *stage, uint64_t bytes,
                                   struct lod_blob **ret_blob);

/* Index and record each carry an item's row; both hashes may be right and the rows still differ. */
bool lod_pinned_same_row(const struct lod_pinned *pinned, const struct lod_item *item);

struct lod_place {
    uint64_t offset; /* in the file */
    uint32_t bytes;
};

/* -EILSEQ: the slot's segment in `group` has no such frame. */
LOD_MUST_CHECK int lod_pinned_place(const struct lod_pinned *pinned, uint32_t slot, unsigned group,
                                    uint64_t frame, struct lod_place *ret_place);

/* Bytes of the record's file, as they are. */
LOD_MUST_CHECK int lod_pinned_read(struct lod_pinned *pinned, uint64_t offset, void *into,
                                   size_t bytes);

/* [from, to) of it into the stage, or as much of its front as that holds. */
LOD_MUST_CHECK int lod_pinned_load(struct lod_pinned *pinned, struct lod_stage *stage,
                                   uint64_t from, uint64_t to);

/* Is the frame's hash that of `data`? The frame exists. */
bool lod_pinned_sound(const struct lod_pinned *pinned, uint32_t slot, unsigned group,
                      uint64_t frame, const uint8_t *data);

#endif
