/* SPDX-License-Identifier: Apache-2.0 */
/* See shown_file.h. */
#include "shard/shown_file.h"

#include <sys/stat.h>

int lod_shown_contents(struct lod_dataset *dataset, struct lod_shard_reader *shards,
                       const struct lod_found *found, struct lod_contents *ret_contents)
{
    if (lod_found_is_shard(found)) {
        return lod_shard_bytes(shards, &found->shard, &ret_contents->bytes);
    }
    if (!S_ISREG(found->node.mode)) {
        ret_contents->bytes = S_ISLNK(found->node.mode) ? found->node.count : 0;
        return 0;
    }
    int error = lod_dataset_item(dataset, found->node.ref, &ret_contents->item);
    error = error ? error
                  : lod_view_plan(found->view, dataset, &found->node, &ret_contents->item,
                                  found->inode.fidelity, &ret_contents->plan);
    if (!error) {
        ret_contents->bytes = ret_contents->plan.bytes;
    }
    return error;
}
