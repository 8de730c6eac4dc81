/* SPDX-License-Identifier: Apache-2.0 */
/* Names and files in a view: from its own functions, or those of the tree. See view.h. */
#include "views/view.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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

int lod_view_shows(const struct lod_view *view, struct lod_dataset *dataset,
                   const struct lod_node *node, enum lod_fidelity fidelity)
{
    if (!(view->fidelities >> fidelity & 1)) {
        return -ENOENT;
    }
    return fidelity == LOD_ORIGINAL ? has_original(dataset, node) : 0;
}

int lod_view_plan(const struct lod_view *view, struct lod_dataset *dataset,
                  const struct lod_node *node, const struct lod_item *item,
                  enum lod_fidelity fidelity, struct lod_plan *ret_plan)
{
    char name[LOD_NAME_MAX + 1];
    bool own = false;
    int error = view->show ? view->show(dataset, node, item, name, &own) : 0;

    return error ? error
                 : lod_codec_plan(item->codec, item->row, own ? view->format : LOD_FORMAT_TREE,
                                  fidelity, ret_plan);
}

int lod_view_name(const struct lod_view *view, struct lod_dataset *dataset,
                  const struct lod_node *node, char name[LOD_NAME_MAX + 1])
{
    const bool file = S_ISREG(node->mode);
    struct lod_item item;
    bool own;

    if (!view->show) {
        return lod_index_name(lod_dataset_index(dataset), node, name);
    }
    int error = file ? lod_dataset_item(dataset, node->ref, &item) : 0;
    /* The name of an unreadable item is unknown: returns an error, not another name. */
    return error == -ENOENT ? -EIO
           : error          ? error
                            : view->show(dataset, node, file ? &item : NULL, name, &own);
}

int lod_view_try(const struct lod_view *view, struct lod_dataset *dataset,
                 const struct lod_node *folder, const char *own, const char *wanted,
                 struct lod_node *ret_node)
{
    char shown[LOD_NAME_MAX + 1];
    struct lod_node node;
    int error = lod_index_lookup(lod_dataset_index(dataset), folder, own, strlen(own), &node);

    error = error ? error : lod_view_name(view, dataset, &node, shown);
    if (!error && strcmp(shown, wanted) != 0) {
        error = -ENOENT;
    }
    if (!error) {
        *ret_node = node;
    }
    return error;
}

int lod_view_lookup(const struct lod_view *view, struct lod_dataset *dataset,
                    const struct lod_node *folder, enum lod_fidelity fidelity, const char *name,
                    struct lod_node *ret_node)
{
    struct lod_node node;
    int error = view->lookup ? view->lookup(dataset, folder, name, &node)
                             : lod_index_lookup(lod_dataset_index(dataset), folder, name,
                                                strlen(name), &node);

    if (!error) {
        error = lod_view_shows(view, dataset, &node, fidelity);
    }
    if (!error) {
        *ret_node = node;
    }
    return error;
}
