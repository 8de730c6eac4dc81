/* SPDX-License-Identifier: Apache-2.0 */
/* The size of the dataset of reader_fixture.h. */
#include "reader_fixture.h"

uint64_t store_bytes;

/* The store has two groups of the same size. */
void lod_dataset_group_totals(struct lod_dataset *dataset, uint64_t ret_totals[LOD_GROUPS_MAX + 1])
{
    (void)dataset;
    for (unsigned k = 0; k <= LOD_GROUPS_MAX; k++) {
        ret_totals[k] = store_bytes / 2 * (k < 2 ? k : 2);
    }
}

uint32_t lod_dataset_records(const struct lod_dataset *dataset)
{
    (void)dataset;
    return 12;
}

uint32_t lod_dataset_items(const struct lod_dataset *dataset)
{
    (void)dataset;
    return 12 * 20;
}
