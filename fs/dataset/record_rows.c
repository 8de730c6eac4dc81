/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of records, for dataset.h. */
#include <errno.h>
#include <string.h>

#include "dataset/dataset.h"

#define RECORDS_SUMMED_MAX 65536u /* 4 TiB of records of 64 MiB; 2,115 blocks of the index */

int lod_dataset_record_desc(struct lod_dataset *dataset, uint32_t record,
                            struct lod_record_desc *ret_recd)
{
    int error = lod_index_record(lod_dataset_index(dataset), record, ret_recd);

    return error && error != -ENOENT ? -EIO : error;
}

void lod_dataset_group_totals(struct lod_dataset *dataset, uint64_t ret_totals[LOD_GROUPS_MAX + 1])
{
    struct lod_index *index = lod_dataset_index(dataset);
    const uint32_t records = lod_index_records(index);
    struct lod_record_desc recd;
    bool known = records <= RECORDS_SUMMED_MAX;

    memset(ret_totals, 0, (LOD_GROUPS_MAX + 1) * sizeof(ret_totals[0]));
    for (uint32_t i = 0; known && i < records; i++) {
        known = !lod_index_record(index, i, &recd);
        for (unsigned k = 1; known && k <= LOD_GROUPS_MAX; k++) {
            ret_totals[k] += lod_record_desc_prefix_bytes(&recd, k);
        }
    }
    for (unsigned k = 1; !known && k <= LOD_GROUPS_MAX; k++) {
        ret_totals[k] = UINT64_MAX;
    }
}
