/* SPDX-License-Identifier: Apache-2.0 */
/* The places of loads that fill a local copy of the store: see lod_object_offer. */
#ifndef LOD_COPY_FILL_H
#define LOD_COPY_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "record/record.h"

/* Returns where a load of the frame at `place` begins: a copy accepts only bytes that directly
 * follow the bytes of the slice that it has. */
static inline uint64_t lod_copy_fill_start(struct lod_record *record, const struct lod_place *place)
{
    return lod_record_copied(record, place->offset / LOD_SLICE_BYTES * LOD_SLICE_BYTES,
                             place->offset);
}

/* Returns where such a load ends: at the end of a slice. */
static inline uint64_t lod_copy_fill_end(uint64_t from)
{
    return (from + LOD_IO_BUFFER_BYTES_MAX) / LOD_SLICE_BYTES * LOD_SLICE_BYTES;
}

static inline bool lod_copy_has(struct lod_record *record, const struct lod_place *place)
{
    const uint64_t end = place->offset + place->bytes;

    return lod_record_copied(record, place->offset, end) == end;
}

#endif
