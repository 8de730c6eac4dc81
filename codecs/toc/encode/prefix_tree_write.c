/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes batches with a prefix tree; see prefix_tree_write.h. While encoding, the node of the n-th
 * flag has the number leaves + n. prune() then renumbers the nodes that are used.
 */
#include "toc/encode/prefix_tree_write.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int lod_prefix_tree_init(struct lod_prefix_tree *tree, uint32_t rows, uint32_t pairs)
{
    size_t room = (size_t)pairs + 1;

    *tree = (struct lod_prefix_tree){.room_rows = rows, .room_pairs = pairs};
    tree->number = malloc(room * sizeof(*tree->number));
    tree->code = malloc(room * sizeof(*tree->code));
    tree->flag = malloc(room * sizeof(*tree->flag));
    tree->size = malloc(((size_t)rows + 1) * sizeof(*tree->size));
    if (!tree->number || !tree->code || !tree->flag || !tree->size ||
        lod_word_map_init(&tree->children, pairs)) {
        lod_prefix_tree_finish(tree);
        return -ENOMEM;
    }
    return 0;
}

void lod_prefix_tree_finish(struct lod_prefix_tree *tree)
{
    lod_word_map_finish(&tree->children);
    free(tree->number);
    free(tree->code);
    free(tree->flag);
    free(tree->size);
    *tree = (struct lod_prefix_tree){0};
}

/*
 * Finds the longest sequence of the tree that leaf[0 .. count - 1] begins with. Returns its code
 * and its length. The leaf that follows it is added as its child.
 */
static uint32_t match(struct lod_prefix_tree *tree, uint32_t leaves, const uint32_t *leaf,
                      uint32_t count, uint32_t *ret_length)
{
    uint32_t code = leaf[0], length = 1;

    for (; length < count; length++) {
        uint32_t before = tree->children.count;
        uint32_t child = lod_word_map_put(&tree->children, (uint64_t)code << 32 | leaf[length]);
        if (child == before) {
            break;
        }
        code = leaves + child;
    }
    *ret_length = length;
    return code;
}

static void prune(struct lod_prefix_tree *tree, uint32_t leaves)
{
    for (uint32_t i = 0; i < tree->flags; i++) {
        tree->flag[i] = 0;
    }
    for (uint32_t i = 0; i < tree->codes; i++) {
        if (tree->code[i] >= leaves) {
            tree->flag[tree->code[i] - leaves] = 1;
        }
    }
    tree->nodes = 0;
    for (uint32_t i = 0; i < tree->flags; i++) {
        tree->number[i] = tree->nodes;
        tree->nodes += tree->flag[i];
    }
    for (uint32_t i = 0; i < tree->codes; i++) {
        if (tree->code[i] >= leaves) {
            tree->code[i] = leaves + tree->number[tree->code[i] - leaves];
        }
    }
}

void lod_prefix_tree_encode(struct lod_prefix_tree *tree, uint32_t leaves, uint32_t rows,
                            const uint32_t *start, const uint32_t *leaf)
{
    assert(rows <= tree->room_rows && start[rows] - start[0] <= tree->room_pairs);
    lod_word_map_clear(&tree->children, start[rows] - start[0]);
    tree->codes = tree->empty_rows = 0;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t before = tree->codes, length;
        for (uint32_t at = start[row]; at < start[row + 1]; at += length) {
            tree->code[tree->codes++] =
                match(tree, leaves, leaf + at, start[row + 1] - at, &length);
        }
        tree->size[row] = tree->codes - before;
        tree->empty_rows += tree->codes == before;
    }
    tree->flags = tree->codes - (rows - tree->empty_rows);
    assert(tree->flags == tree->children.count);
    prune(tree, leaves);
}
