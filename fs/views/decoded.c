/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view decoded/: pictures are shown as their pixels, a.jpg as a.ppm. Files without pixels are
 * shown as in the tree. FORMAT.md, Decoded forms. A node's name follows from its row, its item and,
 * rarely, from whether its folder already has that name. For a lookup only a few nodes can have the
 * name.
 */
#include "views/view.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "index/decoded_name.h"

#define ENDING_BYTES 4 /* ".ppm" */

/* Returns whether the folder has a child of this name. A name that cannot be read counts as
 * present. */
static bool is_taken(struct lod_dataset *dataset, const struct lod_node *folder, const char *name)
{
    struct lod_node other;

    return lod_index_lookup(lod_dataset_index(dataset), folder, name, strlen(name), &other) !=
           -ENOENT;
}

/* Returns whether `appended`, the file's own name with the ending added, is already the name of
 * another file, or of another file's pixels. */
static bool append_clashes(struct lod_dataset *dataset, const struct lod_node *node,
                           const char *own, const char *appended)
{
    char name[LOD_NAME_MAX + 16];
    struct lod_node folder;

    if (strlen(appended) > LOD_NAME_MAX ||
        lod_index_node(lod_dataset_index(dataset), node->parent, &folder)) {
        return true;
    }
    bool taken = is_taken(dataset, &folder, appended);
    for (unsigned i = 0; !taken && lod_picture_ending(i); i++) {
        snprintf(name, sizeof(name), "%s%s", own, lod_picture_ending(i));
        taken = strlen(name) <= LOD_NAME_MAX && is_taken(dataset, &folder, name);
    }
    return taken;
}

/* Returns the name of a node's pixels with `ending`; false if the node keeps its name and its
 * bytes. */
static bool decoded_name(struct lod_dataset *dataset, const struct lod_node *node, const char *own,
                         const char *ending, char name[LOD_NAME_MAX + 1])
{
    char made[LOD_NAME_MAX + ENDING_BYTES + 1];
    size_t stem = node->flags & LOD_NODE_APPEND ? 0 : lod_picture_stem(own);

    if (stem) {
        snprintf(name, LOD_NAME_MAX + 1, "%.*s%s", (int)stem, own, ending);
        return true;
    }
    snprintf(made, sizeof(made), "%s%s", own, ending);
    if (append_clashes(dataset, node, own, made)) {
        return false;
    }
    memcpy(name, made, strlen(made) + 1);
    return true;
}

/* Returns the node's name in this view, and in *ret_pixels whether it is a file of pixels. `item`
 * is NULL for nodes without an item. */
static int show(struct lod_dataset *dataset, const struct lod_node *node,
                const struct lod_item *item, char name[LOD_NAME_MAX + 1], bool *ret_pixels)
{
    char own[LOD_NAME_MAX + 1];
    int error = lod_index_name(lod_dataset_index(dataset), node, own);
    const char *ending = !error && item ? lod_codec_decoded_ending(item->codec, item->row) : NULL;

    if (error) {
        return error;
    }
    *ret_pixels = ending && decoded_name(dataset, node, own, ending, name);
    if (!*ret_pixels) {
        memcpy(name, own, strlen(own) + 1);
    }
    return 0;
}

static bool is_pixels_name(const char *wanted, size_t bytes)
{
    const char *ending = bytes > ENDING_BYTES ? wanted + bytes - ENDING_BYTES : "";

    return strcmp(ending, ".ppm") == 0 || strcmp(ending, ".pgm") == 0 ||
           strcmp(ending, ".npy") == 0;
}

static int lookup(struct lod_dataset *dataset, const struct lod_node *folder, const char *wanted,
                  struct lod_node *ret_node)
{
    char own[LOD_NAME_MAX + 16];
    size_t bytes = strlen(wanted);
    int error = lod_view_try(&lod_view_decoded, dataset, folder, wanted, wanted, ret_node);

    if (error != -ENOENT || !is_pixels_name(wanted, bytes)) {
        return error;
    }
    int stem = (int)(bytes - ENDING_BYTES);
    snprintf(own, sizeof(own), "%.*s", stem, wanted);
    error = lod_view_try(&lod_view_decoded, dataset, folder, own, wanted, ret_node);
    for (unsigned i = 0; error == -ENOENT && lod_picture_ending(i); i++) {
        snprintf(own, sizeof(own), "%.*s%s", stem, wanted, lod_picture_ending(i));
        error = strlen(own) <= LOD_NAME_MAX
                    ? lod_view_try(&lod_view_decoded, dataset, folder, own, wanted, ret_node)
                    : -ENOENT;
    }
    return error;
}

const struct lod_view lod_view_decoded = {
    .folder = "decoded",
    .format = LOD_FORMAT_DECODED,
    .fidelities = LOD_FIDELITIES_TO_FULL,
    .show = show,
    .lookup = lookup,
};
