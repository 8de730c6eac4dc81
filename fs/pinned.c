/* SPDX-License-Identifier: Apache-2.0 */
/* A record as a counted value; see pinned.h. */
#include "pinned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void destroy(struct lod_blob *blob)
{
    struct lod_pinned *pinned = (struct lod_pinned *)blob;

    lod_record_close(pinned->record);
    free(pinned);
}

int lod_pinned_open(struct lod_store *store, const struct lod_recd *recd, struct lod_stage *stage,
                    uint64_t bytes, struct lod_blob **ret_blob)
{
    struct lod_pinned *pinned = calloc(1, sizeof(*pinned));

    if (!pinned) {
        return -ENOMEM;
    }
    int error = lod_record_open_staged(store, recd, stage, bytes, &pinned->record);
    if (error) {
        free(pinned);
        return error;
    }
    atomic_init(&pinned->blob.refs, 1);
    pinned->blob.bytes = sizeof(*pinned) + lod_record_memory(pinned->record);
    pinned->blob.destroy = destroy;
    *ret_blob = &pinned->blob;
    return 0;
}

bool lod_pinned_same_row(const struct lod_pinned *pinned, const struct lod_item *item)
{
    const uint8_t *own = lod_record_row(pinned->record, item->number - item->recd.first_item);

    return memcmp(own, item->row, 4) == 0 && memcmp(own + 8, item->row + 8, LOD_ROW_BYTES - 8) == 0;
}

int lod_pinned_place(const struct lod_pinned *pinned, uint32_t slot, unsigned group, uint64_t frame,
                     struct lod_place *ret_place)
{
    const struct lod_recd *recd = lod_record_recd(pinned->record);
    const uint64_t frame_bytes = 1ull << recd->frame_shift;
    uint64_t bytes =
        group <= recd->groups ? lod_record_segment_bytes(pinned->record, slot, group) : 0;

    if (frame >= (bytes + frame_bytes - 1) >> recd->frame_shift) {
        return -EILSEQ; /* the plan of a malformed row */
    }
    ret_place->offset =
        lod_record_segment_offset(pinned->record, slot, group) + (frame << recd->frame_shift);
    ret_place->bytes = lod_record_frame_bytes(pinned->record, slot, group, frame);
    return 0;
}

int lod_pinned_read(struct lod_pinned *pinned, uint64_t offset, void *into, size_t bytes)
{
    return lod_record_pread(pinned->record, offset, into, bytes);
}

int lod_pinned_load(struct lod_pinned *pinned, struct lod_stage *stage, uint64_t from, uint64_t to)
{
    return lod_record_load(pinned->record, stage, from, to);
}

bool lod_pinned_sound(const struct lod_pinned *pinned, uint32_t slot, unsigned group,
                      uint64_t frame, const uint8_t *data)
{
    return lod_record_frame_sound(pinned->record, slot, group, frame, data);
}
