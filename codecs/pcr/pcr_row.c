/* SPDX-License-Identifier: Apache-2.0 */
/* Checks rows of pcr; see pcr_row.h. FORMAT.md, ITEM, column pcr. */
#include "pcr/pcr_row.h"

#define SOI_BYTES 2
#define SIDE_MAX  65500u

#define FLAGS_KNOWN                                                                                \
    (LOD_ITEM_WHOLE | LOD_ITEM_NO_ORIGINAL | LOD_ITEM_NO_DECODED | LOD_ITEM_HAS_MAGIC |            \
     LOD_ITEM_KEPT | LOD_ITEM_ORIENT | LOD_ITEM_HAS_LABEL)

static bool has(const uint8_t row[LOD_ROW_BYTES], uint8_t flag)
{
    return (lod_row_flags(row) & flag) != 0;
}

/* WHOLE: group 12 is the file, and all other fields are 0. */
static bool whole_is_sound(const uint8_t row[LOD_ROW_BYTES])
{
    bool sound = !has(row, LOD_ITEM_NO_ORIGINAL | LOD_ITEM_KEPT | LOD_ITEM_ORIENT) &&
                 !row[LOD_PCR_SHAPE] && !row[LOD_PCR_APP_SPLIT] && !row[LOD_PCR_CLOSING] &&
                 !lod_get_le16(row + LOD_PCR_WIDTH) && !lod_get_le16(row + LOD_PCR_HEIGHT);

    for (unsigned group = 1; group < LOD_PCR_GROUP_FILE; group++) {
        sound = sound && !lod_pcr_group_bytes(row, group);
    }
    return sound && lod_pcr_group_bytes(row, LOD_PCR_GROUP_FILE) == lod_pcr_source_bytes(row);
}

static bool image_is_sound(const uint8_t row[LOD_ROW_BYTES])
{
    unsigned components = lod_pcr_components(row);
    unsigned width = lod_get_le16(row + LOD_PCR_WIDTH);
    unsigned height = lod_get_le16(row + LOD_PCR_HEIGHT);

    return components >= 1 && components <= 4 && width && width <= SIDE_MAX && height &&
           height <= SIDE_MAX && lod_pcr_source_bytes(row);
}

/* KEPT: there are groups 1 .. top and the source file, which has the APPn and COM of group 11. */
static bool kept_is_sound(const uint8_t row[LOD_ROW_BYTES])
{
    unsigned top = lod_pcr_top(row);
    bool sound = !has(row, LOD_ITEM_NO_ORIGINAL) && top >= LOD_Q1 && top <= LOD_Q10 &&
                 lod_pcr_group_bytes(row, LOD_PCR_GROUP_FILE) == lod_pcr_source_bytes(row);

    for (unsigned group = top + 1; sound && group < LOD_PCR_GROUP_FILE; group++) {
        sound = !lod_pcr_group_bytes(row, group);
    }
    return sound;
}

/* Group 12 agrees with the flags: the source file, nothing, or rebuild data. */
static bool original_is_sound(const uint8_t row[LOD_ROW_BYTES])
{
    bool empty = lod_pcr_group_bytes(row, LOD_PCR_GROUP_FILE) == 0;

    return has(row, LOD_ITEM_KEPT)
               ? kept_is_sound(row)
               : lod_pcr_top(row) == 0 && has(row, LOD_ITEM_NO_ORIGINAL) == empty;
}

/* Group 1 has the head before the closing scans. */
static bool groups_are_sound(const uint8_t row[LOD_ROW_BYTES])
{
    uint32_t split = row[LOD_PCR_APP_SPLIT], closing = row[LOD_PCR_CLOSING];
    uint32_t orient = has(row, LOD_ITEM_ORIENT) ? LOD_PCR_ORIENT_BYTES : 0;

    return split >= SOI_BYTES && lod_pcr_group_bytes(row, 1) > split + orient + closing &&
           original_is_sound(row);
}

bool lod_pcr_row_is_sound(const uint8_t row[LOD_ROW_BYTES])
{
    if (lod_row_flags(row) & (uint8_t)~FLAGS_KNOWN) {
        return false;
    }
    return has(row, LOD_ITEM_WHOLE) ? whole_is_sound(row)
                                    : image_is_sound(row) && groups_are_sound(row);
}
