/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a pcr ITEM row: FORMAT.md, ITEM, column pcr. */
#ifndef LOD_PCR_ROW_H
#define LOD_PCR_ROW_H

#include <stdbool.h>

#include "codec.h"

#define LOD_PCR_SHAPE     1  /* u8: components + 16 * top; 0 if WHOLE */
#define LOD_PCR_APP_SPLIT 2  /* u8 */
#define LOD_PCR_CLOSING   3  /* u8: bytes at the end of group 1 that only q1 has */
#define LOD_PCR_WIDTH     8  /* u16 */
#define LOD_PCR_HEIGHT    10 /* u16 */
#define LOD_PCR_SOURCE    12 /* u32 */
#define LOD_PCR_GROUPS    16 /* u32 x 12: lengths of groups 1 .. 12 */

#define LOD_PCR_GROUP_APP   11 /* other APPn and COM: full, original */
#define LOD_PCR_GROUP_FILE  12 /* rebuild data, or the source file */
#define LOD_PCR_SCAN_GROUPS 10

/* Bytes at app_split of group 1 that `full` leaves out: the orientation EXIF of ORIENT. */
#define LOD_PCR_ORIENT_BYTES 36

static inline unsigned lod_pcr_components(const uint8_t row[LOD_ROW_BYTES])
{
    return row[LOD_PCR_SHAPE] & 15;
}

/* Returns, for KEPT, the highest fidelity with a scan group, above which the source is shown; else
 * 0. */
static inline unsigned lod_pcr_top(const uint8_t row[LOD_ROW_BYTES])
{
    return row[LOD_PCR_SHAPE] >> 4;
}

static inline uint32_t lod_pcr_group_bytes(const uint8_t row[LOD_ROW_BYTES], unsigned group)
{
    return lod_get_le32(row + LOD_PCR_GROUPS + 4 * (group - 1));
}

static inline uint64_t lod_pcr_source_bytes(const uint8_t row[LOD_ROW_BYTES])
{
    return lod_get_le32(row + LOD_PCR_SOURCE);
}

/* Returns whether the fields agree with each other and with FORMAT.md. All other functions of pcr
 * need a sound row. */
bool lod_pcr_row_is_sound(const uint8_t row[LOD_ROW_BYTES]);

#endif
