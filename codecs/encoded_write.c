/* SPDX-License-Identifier: Apache-2.0 */
/* Frees an encoded item; see encoder.h. */
#include "encoder.h"

void lod_encoded_finish(struct lod_encoded *item)
{
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        lod_buf_finish(&item->group[i]);
    }
    lod_buf_finish(&item->header);
}
