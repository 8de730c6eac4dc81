/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stretch of one object in memory, brought in by requests as large as the device takes them, from
 * which frames and metadata are copied: a disk that counts requests should see few. One user at a
 * time; nothing in it is checked.
 */
#ifndef LOD_STAGE_H
#define LOD_STAGE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "store/store.h"

/* Four requests of 1,280 KiB, the most Linux sends to a disk where nobody has set more. */
#define LOD_STAGE_BYTES (5u << 20)

/* All zero: empty, and without memory until the first load. */
struct lod_stage {
    uint8_t *memory;
    uint64_t from, to;         /* of the object; equal: nothing */
    uint64_t loads, bytes, ns; /* of all loads so far: requests to the store, and how long */
};

void lod_stage_finish(struct lod_stage *stage);

/* Another object's turn. */
void lod_stage_clear(struct lod_stage *stage);

/* The most that a load from `from` on can bring: where it ends. */
uint64_t lod_stage_reach(uint64_t from);

/* [from, to) of the object, or as much of its front as there is room for, in place of the old. */
LOD_MUST_CHECK int lod_stage_load(struct lod_stage *stage, struct lod_object *object, uint64_t from,
                                  uint64_t to);

/* Borrowed until the next load. NULL: not all of it is here. */
const uint8_t *lod_stage_at(const struct lod_stage *stage, uint64_t offset, uint64_t bytes);

#endif
