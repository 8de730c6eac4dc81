/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec pcr (progressive compressed records), reading: plans an item at a format and a fidelity
 * as stored bytes, or as a piece that a maker computes. FORMAT.md, ITEM, column pcr; pcr_write.c
 * makes these rows.
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

static int add_pieces(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                      enum lod_fidelity fidelity, struct lod_plan *plan)
{
    if (format == LOD_FORMAT_DECODED) {
        return lod_pcr_decoded_plan(row, fidelity, plan);
    }
    return fidelity == LOD_ORIGINAL && !lod_pcr_shows_source(row, fidelity)
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

static const char *file_ending(const uint8_t row[LOD_ROW_BYTES])
{
    (void)row;
    return ".jpg";
}

static bool sides(const uint8_t row[LOD_ROW_BYTES], uint32_t *ret_width, uint32_t *ret_height)
{
    *ret_width = lod_get_le16(row + LOD_PCR_WIDTH);
    *ret_height = lod_get_le16(row + LOD_PCR_HEIGHT);
    return !(lod_row_flags(row) & LOD_ITEM_WHOLE);
}

const struct lod_codec lod_codec_pcr = {
    .name = "pcr",
    .id = LOD_CODEC_PCR,
    .groups = 12,
    .picture_rank = 1,
    .file_ending = file_ending,
    .sides = sides,
    .frame_shift = frame_shift,
    .segments = segments,
    .source_bytes = lod_pcr_source_bytes,
    .plan = plan,
    .decoded_ending = lod_pcr_decoded_ending,
    .maker = &lod_pcr_maker,
};
