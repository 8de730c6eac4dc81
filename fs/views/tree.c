/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view of the source tree: every name at every fidelity, each file in the source's own format.
 * Copy this view to write another.
 */
#include "views/view.h"

#include <errno.h>
#include <sys/stat.h>

/* Returns whether original/ lists the node: only if the source's exact bytes can be returned. */
static int has_original(struct lod_dataset *dataset, const struct lod_node *node)
{
    uint8_t row[LOD_ROW_BYTES];

    if (node->flags & LOD_NODE_VIRTUAL) {
        return -ENOENT;
    }
    if (!S_ISREG(node->mode)) {
        return 0;
    }
    int error = lod_index_item(lod_dataset_index(dataset), node->ref, row);
    return !error && (lod_row_flags(row) & LOD_ITEM_NO_ORIGINAL) ? -ENOENT : error;
}

static int shows(struct lod_dataset *dataset, const struct lod_node *node,
                 enum lod_fidelity fidelity)
{
    if (fidelity == LOD_ORIGINAL) {
        return has_original(dataset, node);
    }
    return fidelity >= LOD_Q1 && fidelity <= LOD_FULL ? 0 : -ENOENT;
}

static int plan(struct lod_dataset *dataset, const struct lod_node *node,
                const struct lod_item *item, enum lod_fidelity fidelity, struct lod_plan *ret_plan)
{
    (void)dataset;
    (void)node;
    return lod_codec_plan(item->codec, item->row, LOD_FORMAT_TREE, fidelity, ret_plan);
}

const struct lod_view lod_view_tree = {
    .folder = "",
    .format = LOD_FORMAT_TREE,
    .fidelities = LOD_FIDELITIES_TO_FULL | LOD_FIDELITIES_ORIGINAL,
    .shows = shows,
    .plan = plan,
};
