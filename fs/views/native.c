/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view native/: compressed items are shown as files, for readers that decode them themselves,
 * a.png as a.png.l3. Files without such a form are shown as in the tree. FORMAT.md, Native forms.
 * The ending is appended, so a name can only clash with a file of the source of that name. Then the
 * item is shown as in the tree.
 */
#include "views/view.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Returns whether the folder has a child of this name. A name that cannot be read counts as
 * present. */
static bool is_taken(struct lod_dataset *dataset, const struct lod_node *node, const char *name)
{
    struct lod_index *index = lod_dataset_index(dataset);
    struct lod_node folder, other;

    return lod_index_node(index, node->parent, &folder) != 0 ||
           lod_index_lookup(index, &folder, name, strlen(name), &other) != -ENOENT;
}

/* Returns the node's name in this view, and in *ret_native whether it is in native form. `item` is
 * NULL for nodes without an item. */
static int show(struct lod_dataset *dataset, const struct lod_node *node,
                const struct lod_item *item, char name[LOD_NAME_MAX + 1], bool *ret_native)
{
    char own[LOD_NAME_MAX + 1], longer[LOD_NAME_MAX + LOD_NATIVE_ENDING_BYTES + 1];
    int error = lod_index_name(lod_dataset_index(dataset), node, own);
    const char *ending = !error && item ? lod_codec_native_ending(item->codec, item->row) : NULL;

    if (error) {
        return error;
    }
    snprintf(longer, sizeof(longer), "%s%s", own, ending ? ending : "");
    *ret_native = ending && strlen(longer) <= LOD_NAME_MAX && !is_taken(dataset, node, longer);
    memcpy(name, *ret_native ? longer : own, strlen(*ret_native ? longer : own) + 1);
    return 0;
}

static int lookup(struct lod_dataset *dataset, const struct lod_node *folder, const char *wanted,
                  struct lod_node *ret_node)
{
    char own[LOD_NAME_MAX + 1];
    const char *ending = strrchr(wanted, '.');
    int error = lod_view_try(&lod_view_native, dataset, folder, wanted, wanted, ret_node);

    if (error != -ENOENT || !ending || ending == wanted || strlen(wanted) > LOD_NAME_MAX) {
        return error;
    }
    snprintf(own, sizeof(own), "%.*s", (int)(ending - wanted), wanted);
    return lod_view_try(&lod_view_native, dataset, folder, own, wanted, ret_node);
}

const struct lod_view lod_view_native = {
    .folder = "native",
    .format = LOD_FORMAT_NATIVE,
    .fidelities = LOD_FIDELITIES_TO_FULL,
    .show = show,
    .lookup = lookup,
};
