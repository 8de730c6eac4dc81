/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcr, reading: progressive compressed records, after Kuchnik et al., VLDB 2021. q_k is a prefix of
 * the scan groups of a JPEG and its end marker; nothing is decoded here, pieces are only named.
 * FORMAT.md, ITEM, column pcr; pcr_write.c makes these rows.
 */
#include "codec.h"

#include <errno.h>
#include <stdbool.h>

#include "pcr/pcr_decoded.h"
#include "pcr/pcr_original.h"
#include "pcr/pcr_row.h"

/* 1 MiB: a scan group of one photograph is smaller, so it is hashed as one frame. */
#define FRAME_SHIFT 20

#define SCAN_GROUPS 10
#define SOI_BYTES   2
#define SIDE_MAX    65500u

#define FLAGS_KNOWN                                                                                \
    (LOD_ITEM_WHOLE | LOD_ITEM_NO_ORIGINAL | LOD_ITEM_NO_DECODED | LOD_ITEM_HAS_MAGIC |            \
     LOD_ITEM_KEPT | LOD_ITEM_ORIENT)

static const uint8_t eoi[] = {0xff, 0xd9};

static uint8_t frame_shift(uint64_t bytes)
{
    (void)bytes;
    return FRAME_SHIFT;
}

static uint64_t source_bytes(const uint8_t row[LOD_ROW_BYTES])
{
    return lod_get_le32(row + LOD_PCR_SOURCE);
}

static uint32_t group_bytes(const uint8_t row[LOD_ROW_BYTES], unsigned group)
{
    return lod_get_le32(row + LOD_PCR_GROUPS + 4 * (group - 1));
}

static bool has(const uint8_t row[LOD_ROW_BYTES], uint8_t flag)
{
    return (lod_row_flags(row) & flag) != 0;
}

/* Group 12 is the file; nothing else is known of it. */
static bool whole_is_sound(const uint8_t row[LOD_ROW_BYTES])
{
    bool sound = !has(row, LOD_ITEM_NO_ORIGINAL | LOD_ITEM_KEPT | LOD_ITEM_ORIENT) &&
                 !row[LOD_PCR_COMPONENTS] && !lod_get_le16(row + LOD_PCR_APP_SPLIT) &&
                 !lod_get_le16(row + LOD_PCR_WIDTH) && !lod_get_le16(row + LOD_PCR_HEIGHT);

    for (unsigned group = 1; group < LOD_PCR_GROUP_FILE; group++) {
        sound = sound && !group_bytes(row, group);
    }
    return sound && group_bytes(row, LOD_PCR_GROUP_FILE) == source_bytes(row);
}

static bool image_is_sound(const uint8_t row[LOD_ROW_BYTES])
{
    unsigned components = row[LOD_PCR_COMPONENTS];
    unsigned width = lod_get_le16(row + LOD_PCR_WIDTH);
    unsigned height = lod_get_le16(row + LOD_PCR_HEIGHT);

    return components >= 1 && components <= 4 && width && width <= SIDE_MAX && height &&
           height <= SIDE_MAX && source_bytes(row);
}

/* Group 12 is what the flags say: the source file, nothing, or rebuild data. */
static bool original_is_sound(const uint8_t row[LOD_ROW_BYTES])
{
    uint32_t bytes = group_bytes(row, LOD_PCR_GROUP_FILE);

    if (has(row, LOD_ITEM_KEPT)) {
        return !has(row, LOD_ITEM_NO_ORIGINAL) && bytes == source_bytes(row);
    }
    return has(row, LOD_ITEM_NO_ORIGINAL) == (bytes == 0);
}

/* The head lies in group 1. */
static bool groups_are_sound(const uint8_t row[LOD_ROW_BYTES])
{
    uint32_t split = lod_get_le16(row + LOD_PCR_APP_SPLIT);
    uint32_t orient = has(row, LOD_ITEM_ORIENT) ? LOD_PCR_ORIENT_BYTES : 0;

    return split >= SOI_BYTES && group_bytes(row, 1) > split + orient && original_is_sound(row);
}

static bool row_is_sound(const uint8_t row[LOD_ROW_BYTES])
{
    if (lod_row_flags(row) & (uint8_t)~FLAGS_KNOWN) {
        return false;
    }
    return has(row, LOD_ITEM_WHOLE) ? whole_is_sound(row)
                                    : image_is_sound(row) && groups_are_sound(row);
}

static int segments(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX])
{
    if (!row_is_sound(row)) {
        return -EILSEQ;
    }
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        ret_bytes[i] = group_bytes(row, i + 1);
    }
    return 0;
}

/* Group 1 of `full`: the source's own APPn and COM stand where the orientation EXIF stood. */
static int add_full_head(const uint8_t row[LOD_ROW_BYTES], struct lod_plan *plan)
{
    uint32_t split = lod_get_le16(row + LOD_PCR_APP_SPLIT);
    uint32_t rest = split + (has(row, LOD_ITEM_ORIENT) ? LOD_PCR_ORIENT_BYTES : 0);

    int error = lod_plan_add_stored(plan, 1, 0, split);
    if (!error) {
        error =
            lod_plan_add_stored(plan, LOD_PCR_GROUP_APP, 0, group_bytes(row, LOD_PCR_GROUP_APP));
    }
    return error ? error : lod_plan_add_stored(plan, 1, rest, group_bytes(row, 1) - rest);
}

static int add_scans(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity,
                     struct lod_plan *plan)
{
    unsigned last = fidelity == LOD_FULL ? SCAN_GROUPS : (unsigned)fidelity;
    int error = fidelity == LOD_FULL ? add_full_head(row, plan)
                                     : lod_plan_add_stored(plan, 1, 0, group_bytes(row, 1));

    for (unsigned group = 2; group <= last && !error; group++) {
        error = lod_plan_add_stored(plan, group, 0, group_bytes(row, group));
    }
    return error ? error : lod_plan_add_mem(plan, eoi, sizeof(eoi));
}

static int plan(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                enum lod_fidelity fidelity, struct lod_plan *ret_plan)
{
    struct lod_plan made;
    int error;

    if (!row_is_sound(row)) {
        return -EILSEQ;
    }
    if (format != LOD_FORMAT_TREE && format != LOD_FORMAT_DECODED) {
        return -ENOENT;
    }
    lod_plan_begin(&made);
    if (format == LOD_FORMAT_DECODED) {
        error = lod_pcr_decoded_plan(row, fidelity, &made);
    } else if (has(row, LOD_ITEM_WHOLE) || (has(row, LOD_ITEM_KEPT) && fidelity == LOD_ORIGINAL)) {
        error = lod_plan_add_stored(&made, LOD_PCR_GROUP_FILE, 0, source_bytes(row));
    } else if (fidelity == LOD_ORIGINAL) {
        error = lod_plan_add_made(&made, LOD_ORIGINAL, 0, source_bytes(row));
    } else {
        error = add_scans(row, fidelity, &made);
    }
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
    .source_bytes = source_bytes,
    .plan = plan,
    .decoded_ending = lod_pcr_decoded_ending,
    .maker = &lod_pcr_maker,
};
