/* SPDX-License-Identifier: Apache-2.0 */
/* See photo_features.h. Features are logarithms, since likeness is about linear in them. */
#include "pcr/measure/photo_features.h"

#include <math.h>

#include "pcr/pcr_row.h"

#define BYTES_MIN 10 /* a smaller group counts as one of this size */

bool lod_photo_features(const uint8_t row[LOD_ROW_BYTES], double ret_features[LOD_PHOTO_FEATURES])
{
    const double pixels =
        (double)lod_get_le16(row + LOD_PCR_WIDTH) * lod_get_le16(row + LOD_PCR_HEIGHT);

    if (lod_row_flags(row) & LOD_ITEM_WHOLE || pixels <= 0) {
        return false;
    }
    ret_features[0] = log((double)lod_pcr_source_bytes(row) / pixels);
    for (unsigned group = 1; group < LOD_PHOTO_FEATURES; group++) {
        uint32_t bytes = lod_pcr_group_bytes(row, group);
        ret_features[group] = log((double)(bytes < BYTES_MIN ? BYTES_MIN : bytes) / pixels);
    }
    return true;
}
