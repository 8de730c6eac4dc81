/* SPDX-License-Identifier: Apache-2.0 */
/* The local copy of a store, for dataset.h. */
#include "dataset/dataset.h"
#include "record/record.h"

bool lod_dataset_copies(const struct lod_dataset *dataset, uint64_t key, uint64_t *ret_room)
{
    return lod_store_copies(lod_dataset_store(dataset), key, ret_room);
}

void lod_dataset_listed(struct lod_dataset *dataset, const struct lod_listed *records, size_t count)
{
    lod_store_listed(lod_dataset_store(dataset), records, count);
}

uint64_t lod_dataset_lists_bytes(const struct lod_dataset *dataset)
{
    struct lod_store_stats stats;

    lod_store_stats(lod_dataset_store(dataset), &stats);
    return stats.tier.lists_bytes;
}

bool lod_dataset_groups_copied(struct lod_dataset *dataset, const struct lod_record_desc *recd,
                               unsigned first, unsigned last)
{
    const uint64_t head = lod_record_desc_end(recd, 0), from = lod_record_desc_end(recd, first - 1),
                   to = lod_record_desc_end(recd, last);
    struct lod_object *object = NULL;

    if (lod_record_file_open(lod_dataset_store(dataset), recd, &object)) {
        return false;
    }
    const bool is =
        lod_object_copied(object, 0, head) == head && lod_object_copied(object, from, to) == to;
    lod_object_close(object);
    return is;
}
