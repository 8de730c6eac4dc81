/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extents of a store: stretches of consecutive records that are read together. They follow from
 * the rows of RECD (FORMAT.md, Reading order). Immutable once made. The order of extents is not
 * here.
 */
#ifndef LOD_EXTENTS_H
#define LOD_EXTENTS_H

#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "index/index.h"
#include "list.h"

struct lod_extent {
    uint32_t first_record, records;
    uint32_t first_item, items;
    uint64_t bytes[LOD_ORIGINAL]; /* read at q1 .. q10, full, original */
};

/* The items of a codec that has few of them. Its records stand after all others. */
struct lod_small_items {
    uint32_t first, count;
    uint32_t before; /* small items of the codecs before this one */
};

struct lod_extents {
    LOD_LIST(struct lod_extent);
    LOD_LIST(struct lod_small_items) small;
    uint32_t small_count; /* items of all small codecs */
};

/* Reads all rows of RECD. Returns -ENOMEM, and the errors of lod_index_record. */
LOD_MUST_CHECK int lod_extents_make(struct lod_index *index, struct lod_extents *ret_extents);
/* Accepts one that is all zero. */
void lod_extents_finish(struct lod_extents *extents);

/* Adds the next record of the store; lod_extents_make is a loop over it. `split` separates every
 * record from the one before it. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_extents_add(struct lod_extents *extents, const struct lod_record_desc *recd,
                                   bool split);

/* Small items [*ret_from, *ret_to), by their place among all of them, belong to the extent. */
void lod_extents_small_of(const struct lod_extents *extents, uint32_t extent, uint32_t *ret_from,
                          uint32_t *ret_to);
/* Returns the item number of the small item at `place`. */
uint32_t lod_extents_small_item(const struct lod_extents *extents, uint32_t place);

/* Returns the extent of an item; UINT32_MAX for an item of a tree record. */
uint32_t lod_extents_find(const struct lod_extents *extents, uint32_t item);

#endif
