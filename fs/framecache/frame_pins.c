/* SPDX-License-Identifier: Apache-2.0 */
/* A list of chunks. It is searched from the newest chunk, since adjacent frames of a record are
 * usually in one chunk. */
#include "framecache/frame_pins.h"

#include <stdbool.h>
#include <stdlib.h>

static bool has(const struct lod_frame_pins *pins, const struct lod_chunk *chunk)
{
    for (size_t i = pins->count; i > 0; i--) {
        if (pins->at[i - 1] == chunk) {
            return true;
        }
    }
    return false;
}

int lod_frame_pins_add(struct lod_frame_pins *pins, struct lod_chunk *chunk)
{
    if (has(pins, chunk)) {
        return 0;
    }
    int error = LOD_LIST_ADD(pins, chunk);
    if (!error) {
        lod_blob_ref(&chunk->blob);
        if (atomic_fetch_add(&chunk->pins, 1) == 0) {
            atomic_fetch_add(pins->bytes, chunk->bytes);
        }
    }
    return error;
}

void lod_frame_pins_merge(struct lod_frame_pins *into, struct lod_frame_pins *from)
{
    into->bytes = from->bytes;
    for (size_t i = 0; i < from->count; i++) {
        (void)!lod_frame_pins_add(into, from->at[i]);
    }
    lod_frame_pins_finish(from);
}

void lod_frame_pins_finish(struct lod_frame_pins *pins)
{
    for (size_t i = 0; i < pins->count; i++) {
        struct lod_chunk *chunk = pins->at[i];
        if (atomic_fetch_sub(&chunk->pins, 1) == 1) {
            atomic_fetch_sub(pins->bytes, chunk->bytes);
        }
        lod_blob_unref(&chunk->blob);
    }
    free(pins->at);
    *pins = (struct lod_frame_pins){.bytes = pins->bytes};
}
