/* SPDX-License-Identifier: Apache-2.0 */
/* See shown_groups.h. */
#include "order/shown_groups.h"

#include <stdbool.h>

#define TOP_GROUP    10u /* the last group of scans */
#define SOURCE_GROUP 12u /* the source file, or its rebuild data */

/* Of lossless images. */
#define EXACT_GROUP (LOD_LEVEL_GROUPS + 1)

/* The last group of scans that a record of photographs has. */
static unsigned top_of(const struct lod_record_desc *recd)
{
    unsigned top = TOP_GROUP;

    while (top && !recd->group_bytes[top - 1]) {
        top--;
    }
    return top;
}

static void show_image(const struct lod_record_desc *recd, enum lod_fidelity fidelity,
                       unsigned *ret_first, unsigned *ret_last)
{
    const bool level = fidelity < LOD_Q10 && lod_record_has_levels(recd);

    *ret_first = level ? 1 : EXACT_GROUP;
    *ret_last = !level                                  ? SOURCE_GROUP - (fidelity != LOD_ORIGINAL)
                : (unsigned)fidelity < LOD_LEVEL_GROUPS ? (unsigned)fidelity
                                                        : LOD_LEVEL_GROUPS;
}

void lod_shown_groups(const struct lod_record_desc *recd, enum lod_fidelity fidelity,
                      unsigned *ret_first, unsigned *ret_last)
{
    if (recd->codec == LOD_CODEC_L3) {
        show_image(recd, fidelity, ret_first, ret_last);
        return;
    }
    const bool photographs = recd->codec == LOD_CODEC_PCR;
    const unsigned top = top_of(recd);
    const bool source = photographs && top < TOP_GROUP && (unsigned)fidelity > top;

    *ret_first = source ? SOURCE_GROUP : 1;
    *ret_last = source || fidelity == LOD_ORIGINAL ? SOURCE_GROUP
                : photographs                      ? (unsigned)fidelity
                                                   : SOURCE_GROUP - 1;
}
