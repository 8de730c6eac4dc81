/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pins: references that keep chunks from eviction. They belong to one record that a job will read,
 * and keep the chunks that have its frames. A chunk with frames of several such records can be
 * evicted when all of them have dropped their pins.
 */
#ifndef LOD_FRAME_PINS_H
#define LOD_FRAME_PINS_H

#include <stdatomic.h>

#include "compiler.h"
#include "framecache/frame_arena.h"
#include "list.h"

struct lod_frame_pins {
    LOD_LIST(struct lod_chunk *);
    atomic_size_t *bytes; /* of all chunks that have a pin; borrowed */
};

/* Takes a reference to the chunk, unless there is one. -ENOMEM. */
LOD_MUST_CHECK int lod_frame_pins_add(struct lod_frame_pins *pins, struct lod_chunk *chunk);

/* Moves the pins of `from` into `into`, and empties `from`. A pin for which memory is missing is
 * dropped. */
void lod_frame_pins_merge(struct lod_frame_pins *into, struct lod_frame_pins *from);

/* Drops all references. Accepts one that is all zero. */
void lod_frame_pins_finish(struct lod_frame_pins *pins);

#endif
