/* SPDX-License-Identifier: Apache-2.0 */
/* See sample_split.h. */
#include "sample/sample_split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "framing/framing.h"
#include "list.h"

static const char *const split_names[] = {"train",      "training", "val",  "valid",
                                          "validation", "dev",      "test", "testing"};

bool lod_split_name(const char *name)
{
    for (size_t i = 0; i < sizeof(split_names) / sizeof(split_names[0]); i++) {
        if (strcasecmp(name, split_names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The nodes of depth 1 and 2 above a node; 0 if the node has less depth. */
struct above {
    uint32_t first, second;
};

static int find_above(const struct lod_sample_tree *tree, const struct lod_sample_node *node,
                      struct above *ret_above)
{
    struct above above = {.first = node->number};
    struct lod_sample_node at = *node;
    int error = 0;

    for (unsigned depth = 0; !error && at.parent != 0; depth++) {
        above.second = at.number;
        above.first = at.parent;
        error = depth > LOD_DEPTH_MAX ? -EILSEQ : tree->node(tree->ctx, at.parent, &at);
    }
    *ret_above = above;
    return error;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static bool is_known(const struct lod_sample_splits *splits, uint32_t folder)
{
    for (size_t i = splits->folders.count; i > 0; i--) {
        if (splits->folders.at[i - 1] == folder) {
            return true;
        }
    }
    return false;
}

/* Adds the folder of depth 1 above a picture. *ret_splits: it makes a split. */
static int add_folder(const struct lod_sample_tree *tree, struct lod_sample_splits *splits,
                      const struct lod_sample_node *picture, bool *ret_splits)
{
    char name[LOD_NAME_MAX + 1];
    struct above above;

    int error = find_above(tree, picture, &above);
    if (error || is_known(splits, above.first)) {
        return error;
    }
    error = tree->name(tree->ctx, above.first, name);
    if (!error && (above.first == picture->number || !lod_split_name(name))) {
        *ret_splits = false;
        return 0;
    }
    return error ? error : LOD_LIST_ADD(&splits->folders, above.first);
}

/* Adds the folders of all pictures of a record, as long as each makes a split. */
static int add_record(const struct lod_sample_tree *tree, const struct lod_sample_record *record,
                      struct lod_sample_splits *splits, bool *ret_splits)
{
    struct lod_sample_node node;
    uint8_t row[LOD_ROW_BYTES];
    int error = 0;

    for (uint32_t i = 0; !error && *ret_splits && i < record->items; i++) {
        error = tree->item(tree->ctx, record->first_item + i, row);
        error = error ? error : tree->node(tree->ctx, lod_row_own_node(row), &node);
        if (!error && S_ISREG(node.mode) && !(node.flags & LOD_NODE_VIRTUAL)) {
            error = add_folder(tree, splits, &node, ret_splits);
        }
    }
    return error;
}

/* Adds the folders with flag SPLIT: either only the root, or folders in the root. */
static int find_named(const struct lod_sample_tree *tree, struct lod_sample_splits *splits)
{
    struct lod_sample_node root, child;
    int error = tree->node(tree->ctx, 0, &root);

    if (!error && root.flags & LOD_NODE_SPLIT) {
        return LOD_LIST_ADD(&splits->folders, 0);
    }
    for (uint32_t i = 0; !error && i < root.count; i++) {
        error = tree->node(tree->ctx, root.first + i, &child);
        if (!error && child.flags & LOD_NODE_SPLIT) {
            error = splits->folders.count < LOD_SPLITS_MAX
                        ? LOD_LIST_ADD(&splits->folders, child.number)
                        : -E2BIG;
        }
    }
    return error;
}

static int find_folders(const struct lod_sample_tree *tree, const struct lod_sample_kinds *kinds,
                        struct lod_sample_splits *splits)
{
    struct lod_sample_record record;
    bool are_splits = true;
    int error = find_named(tree, splits);

    if (error || splits->folders.count) {
        return error;
    }
    for (uint32_t i = 0; !error && are_splits && i < tree->records; i++) {
        error = tree->record(tree->ctx, i, &record);
        if (!error && lod_sample_rank(kinds, &record)) {
            error = add_record(tree, &record, splits, &are_splits);
        }
    }
    if (error) {
        return error;
    }
    if (!are_splits || splits->folders.count == 0) {
        splits->folders.count = 0;
        return LOD_LIST_ADD(&splits->folders, 0);
    }
    qsort(splits->folders.at, splits->folders.count, sizeof(splits->folders.at[0]),
          compare_numbers);
    return 0;
}

static int find_classes(const struct lod_sample_tree *tree, struct lod_sample_splits *splits,
                        uint32_t folder)
{
    struct lod_sample_node split, child;
    int error = tree->node(tree->ctx, folder, &split);

    for (uint32_t i = 0; !error && i < split.count; i++) {
        error = tree->node(tree->ctx, split.first + i, &child);
        if (!error && S_ISDIR(child.mode) && !(child.flags & LOD_NODE_VIRTUAL)) {
            error = LOD_LIST_ADD(&splits->classes, child.number);
        }
    }
    return error;
}

int lod_sample_splits_find(const struct lod_sample_tree *tree, const struct lod_sample_kinds *kinds,
                           struct lod_sample_splits *splits)
{
    *splits = (struct lod_sample_splits){0};
    int error = find_folders(tree, kinds, splits);

    for (size_t i = 0; !error && i < splits->folders.count; i++) {
        error = find_classes(tree, splits, splits->folders.at[i]);
    }
    return error;
}

void lod_sample_splits_finish(struct lod_sample_splits *splits)
{
    free(splits->folders.at);
    free(splits->classes.at);
    *splits = (struct lod_sample_splits){0};
}

/* Returns the index of `number` in an ascending list, or where it would be inserted. */
static size_t find_number(const uint32_t *at, size_t count, uint32_t number)
{
    size_t low = 0;

    LOD_SEARCH(low, count, at[middle] < number);
    return low;
}

int lod_sample_splits_place(const struct lod_sample_tree *tree,
                            const struct lod_sample_splits *splits,
                            const struct lod_sample_node *node, size_t *ret_split,
                            int32_t *ret_label)
{
    const bool whole = splits->folders.at[0] == 0;
    struct lod_sample_node split;
    struct above above;
    int32_t label = LOD_NO_LABEL;

    int error = find_above(tree, node, &above);
    const uint32_t folder = whole ? 0 : above.first, group = whole ? above.first : above.second;
    size_t place = find_number(splits->folders.at, splits->folders.count, folder);
    error = error ? error : tree->node(tree->ctx, folder, &split);
    if (error || place == splits->folders.count || splits->folders.at[place] != folder) {
        return error ? error : -ENOENT;
    }
    const size_t at = find_number(splits->classes.at, splits->classes.count, group);
    if (at < splits->classes.count && splits->classes.at[at] == group && group != node->number) {
        label = (int32_t)(at - find_number(splits->classes.at, splits->classes.count, split.first));
    }
    *ret_split = place;
    *ret_label = label;
    return 0;
}
