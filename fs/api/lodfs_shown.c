/* SPDX-License-Identifier: Apache-2.0 */
/* See lodfs_shown.h: calls dataset, tree view and reader. */
#include "api/lodfs_shown.h"

#include <errno.h>
#include <sys/stat.h>

int lod_shown_plan(const struct lod_opened *opened, int fidelity, struct lod_shown *shown)
{
    const enum lod_fidelity at = (enum lod_fidelity)fidelity;
    int error = opened->view->shows(opened->dataset, &shown->node, at);

    if (!error && S_ISREG(shown->node.mode)) {
        error = lod_dataset_item(opened->dataset, shown->node.ref, &shown->item);
        error = error ? error
                      : opened->view->plan(opened->dataset, &shown->node, &shown->item, at,
                                           &shown->plan);
    }
    return error;
}

/* Checks that no folder on the path is hidden. */
static int check_way(const struct lod_opened *opened, const struct lod_node *node, int fidelity)
{
    struct lod_node at = *node;
    int error = 0;

    while (!error && at.number) {
        error = lod_index_node(lod_dataset_index(opened->dataset), at.parent, &at);
        error =
            error ? error : opened->view->shows(opened->dataset, &at, (enum lod_fidelity)fidelity);
    }
    return error;
}

int lod_shown_find(const struct lod_opened *opened, const char *path, int fidelity,
                   struct lod_shown *ret_shown)
{
    if (!lod_fidelity_name((enum lod_fidelity)fidelity)) {
        return -EINVAL;
    }
    int error = lod_dataset_walk(opened->dataset, path, &ret_shown->node);
    error = error ? error : check_way(opened, &ret_shown->node, fidelity);
    return error ? error : lod_shown_plan(opened, fidelity, ret_shown);
}

int lod_shown_find_file(const struct lod_opened *opened, const char *path, int fidelity,
                        struct lod_shown *ret_shown)
{
    int error = lod_shown_find(opened, path, fidelity, ret_shown);

    if (!error && !S_ISREG(ret_shown->node.mode)) {
        error = S_ISDIR(ret_shown->node.mode) ? -EISDIR : -EINVAL;
    }
    return error;
}

int lod_shown_read(const struct lod_opened *opened, const struct lod_shown *shown, uint64_t offset,
                   uint8_t *into, size_t bytes, size_t *ret_bytes)
{
    const uint64_t left = offset < shown->plan.bytes ? shown->plan.bytes - offset : 0;
    const size_t wanted = bytes < left ? bytes : (size_t)left;
    int error = wanted ? lod_reader_read_into(opened->reader, &shown->item, &shown->plan, offset,
                                              into, wanted)
                       : 0;

    if (!error) {
        *ret_bytes = wanted;
    }
    return error;
}
