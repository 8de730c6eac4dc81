/* SPDX-License-Identifier: Apache-2.0 */
/*
 * q1 .. q10 and full of a JPEG: a prefix of its scan groups and the end marker. Nothing is decoded
 * here, pieces are only named. After Kuchnik et al., VLDB 2021.
 */
#include "pcr/pcr_scans.h"

#include <assert.h>

#include "pcr/pcr_row.h"

#define SCAN_GROUPS 10

static const uint8_t eoi[] = {0xff, 0xd9};

/* Group 1 of `full`: the source's own APPn and COM stand where the orientation EXIF stood. */
static int add_full_head(const uint8_t row[LOD_ROW_BYTES], struct lod_plan *plan)
{
    uint32_t split = lod_get_le16(row + LOD_PCR_APP_SPLIT);
    uint32_t rest = split + (lod_row_flags(row) & LOD_ITEM_ORIENT ? LOD_PCR_ORIENT_BYTES : 0);

    int error = lod_plan_add_stored(plan, 1, 0, split);
    if (!error) {
        error = lod_plan_add_stored(plan, LOD_PCR_GROUP_APP, 0,
                                    lod_pcr_group_bytes(row, LOD_PCR_GROUP_APP));
    }
    return error ? error : lod_plan_add_stored(plan, 1, rest, lod_pcr_group_bytes(row, 1) - rest);
}

int lod_pcr_scans_plan(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity,
                       struct lod_plan *plan)
{
    unsigned last = fidelity == LOD_FULL ? SCAN_GROUPS : (unsigned)fidelity;
    int error = fidelity == LOD_FULL ? add_full_head(row, plan)
                                     : lod_plan_add_stored(plan, 1, 0, lod_pcr_group_bytes(row, 1));

    assert(last >= LOD_Q1 && last <= LOD_Q10);
    for (unsigned group = 2; group <= last && !error; group++) {
        error = lod_plan_add_stored(plan, group, 0, lod_pcr_group_bytes(row, group));
    }
    return error ? error : lod_plan_add_mem(plan, eoi, sizeof(eoi));
}
