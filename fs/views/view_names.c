/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a view: from its own functions, or those of the source. See view.h. */
#include <errno.h>
#include <string.h>

#include "views/view.h"

int lod_view_name(const struct lod_view *view, struct lod_dataset *dataset,
                  const struct lod_node *node, char name[LOD_NAME_MAX + 1])
{
    return view->name ? view->name(dataset, node, name)
                      : lod_index_name(lod_dataset_index(dataset), node, name);
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
        error = view->shows(dataset, &node, fidelity);
    }
    if (!error) {
        *ret_node = node;
    }
    return error;
}
