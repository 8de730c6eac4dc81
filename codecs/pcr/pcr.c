/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcr, reading: progressive compressed records. What an item is at a format and a fidelity: stored
 * bytes, or a piece that one of the makers makes. FORMAT.md, ITEM, column pcr; pcr_write.c makes
 * these rows.
 */
#include "codec.h"

#include <errno.h>

#include "pcr/pcr_decoded.h"
#include "pcr/pcr_original.h"
#include "pcr/pcr_row.h"
#include "pcr/pcr_scans.h"

/* 1 MiB: a scan group of one photograph is smaller, so it is hashed as one frame. */
#define FRAME_SHIFT 20

static uint8_t frame_shift(uint64_t bytes)
{
    (void)bytes;
    return FRAME_SHIFT;
}

static int segments(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX])
{
    if (!lod_pcr_row_is_sound(row)) {
        return -EILSEQ;
    }
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        ret_bytes[i] = lod_pcr_group_bytes(row, i + 1);
    }
    return 0;
}

/* The source file is stored: there is nothing else of it, or it stands beside its groups. */
static bool is_stored(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity)
{
    return lod_row_flags(row) & LOD_ITEM_WHOLE ||
           (fidelity == LOD_ORIGINAL && lod_row_flags(row) & LOD_ITEM_KEPT);
}

static int add_pieces(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                      enum lod_fidelity fidelity, struct lod_plan *plan)
{
    if (format == LOD_FORMAT_DECODED) {
        return lod_pcr_decoded_plan(row, fidelity, plan);
    }
    if (is_stored(row, fidelity)) {
        return lod_plan_add_stored(plan, LOD_PCR_GROUP_FILE, 0, lod_pcr_source_bytes(row));
    }
    return fidelity == LOD_ORIGINAL
               ? lod_plan_add_made(plan, LOD_ORIGINAL, 0, lod_pcr_source_bytes(row))
               : lod_pcr_scans_plan(row, fidelity, plan);
}

static int plan(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                enum lod_fidelity fidelity, struct lod_plan *ret_plan)
{
    struct lod_plan made;

    if (!lod_pcr_row_is_sound(row)) {
        return -EILSEQ;
    }
    if (format != LOD_FORMAT_TREE && format != LOD_FORMAT_DECODED) {
        return -ENOENT;
    }
    lod_plan_begin(&made);
    int error = add_pieces(row, format, fidelity, &made);
    if (!error) {
        lod_plan_copy(&made, ret_plan);
    }
    return error;
}

const struct lod_codec lod_codec_pcr = {
    .name = "pcr",
    .id = LOD_CODEC_PCR,
    .groups = 12,
    .frame_shift = frame_shift,
    .segments = segments,
    .source_bytes = lod_pcr_source_bytes,
    .plan = plan,
    .decoded_ending = lod_pcr_decoded_ending,
    .maker = &lod_pcr_maker,
};
