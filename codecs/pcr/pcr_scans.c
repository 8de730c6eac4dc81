/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans q1 .. q10 and full of a JPEG: a prefix of its scan groups and the end marker, or the source
 * file if that is kept. Decodes nothing. After Kuchnik et al., VLDB 2021.
 */
#include "pcr/pcr_scans.h"

#include <assert.h>

#include "pcr/pcr_row.h"

static const uint8_t eoi[] = {0xff, 0xd9};

/* Adds group 1 without the closing scans, from `from` on. */
static int add_first_group(const uint8_t row[LOD_ROW_BYTES], uint32_t from, struct lod_plan *plan)
{
    return lod_plan_add_stored(plan, 1, from,
                               lod_pcr_group_bytes(row, 1) - row[LOD_PCR_CLOSING] - from);
}

/* Adds group 1 of `full`, in which the source's own APPn and COM replace the orientation EXIF. */
static int add_full_head(const uint8_t row[LOD_ROW_BYTES], struct lod_plan *plan)
{
    uint32_t split = row[LOD_PCR_APP_SPLIT];
    uint32_t rest = split + (lod_row_flags(row) & LOD_ITEM_ORIENT ? LOD_PCR_ORIENT_BYTES : 0);

    int error = lod_plan_add_stored(plan, 1, 0, split);
    if (!error) {
        error = lod_plan_add_stored(plan, LOD_PCR_GROUP_APP, 0,
                                    lod_pcr_group_bytes(row, LOD_PCR_GROUP_APP));
    }
    return error ? error : add_first_group(row, rest, plan);
}

static int add_head(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity,
                    struct lod_plan *plan)
{
    switch (fidelity) {
    case LOD_Q1:
        return lod_plan_add_stored(plan, 1, 0, lod_pcr_group_bytes(row, 1));
    case LOD_FULL:
        return add_full_head(row, plan);
    default:
        return add_first_group(row, 0, plan);
    }
}

bool lod_pcr_shows_source(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity)
{
    return lod_row_flags(row) & LOD_ITEM_WHOLE ||
           (lod_row_flags(row) & LOD_ITEM_KEPT && fidelity > lod_pcr_top(row));
}

int lod_pcr_scans_plan(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity,
                       struct lod_plan *plan)
{
    unsigned last = fidelity == LOD_FULL ? LOD_PCR_SCAN_GROUPS : (unsigned)fidelity;

    if (lod_pcr_shows_source(row, fidelity)) {
        return lod_plan_add_stored(plan, LOD_PCR_GROUP_FILE, 0, lod_pcr_source_bytes(row));
    }
    assert(last >= LOD_Q1 && last <= LOD_Q10);
    int error = add_head(row, fidelity, plan);
    for (unsigned group = 2; group <= last && !error; group++) {
        error = lod_plan_add_stored(plan, group, 0, lod_pcr_group_bytes(row, group));
    }
    return error ? error : lod_plan_add_mem(plan, eoi, sizeof(eoi));
}
