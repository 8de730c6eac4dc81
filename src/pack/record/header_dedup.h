/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds headers that several items of a record share, and the first slot that has each. It is
 * filled in slot order while a record is encoded, so the result is the same for any number of
 * threads. An all-zero struct is empty.
 */
#ifndef LOD_HEADER_DEDUP_H
#define LOD_HEADER_DEDUP_H

#include <stdint.h>

#include "buf.h"
#include "compiler.h"

struct lod_header_dedup_header;

struct lod_header_dedup {
    struct lod_header_dedup_header *headers; /* open addressing; room is a power of two */
    uint32_t count, room;
};

/*
 * Sets *ret_slot to the first slot that had this header: `slot` itself if there was none, and then
 * the bytes are copied. Slots must come in rising order. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_header_dedup_find(struct lod_header_dedup *shared, struct lod_span header,
                                         uint32_t slot, uint32_t *ret_slot);
void lod_header_dedup_finish(struct lod_header_dedup *shared);

#endif
