/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of a record that several items have alike: which slot holds one first. Filled in slot
 * order while a record is encoded, so the outcome is the same for any number of threads. An
 * all-zero struct is empty.
 */
#ifndef LOD_SHARED_H
#define LOD_SHARED_H

#include <stdint.h>

#include "buf.h"
#include "compiler.h"

struct lod_shared_header;

struct lod_shared {
    struct lod_shared_header *headers; /* open addressing; room is a power of two */
    uint32_t count, room;
};

/*
 * *ret_slot: the first slot that had this header, which is `slot` itself if none was earlier; its
 * bytes are then copied. Slots come in rising order. -ENOMEM.
 */
LOD_MUST_CHECK int lod_shared_find(struct lod_shared *shared, struct lod_span header, uint32_t slot,
                                   uint32_t *ret_slot);
void lod_shared_finish(struct lod_shared *shared);

#endif
