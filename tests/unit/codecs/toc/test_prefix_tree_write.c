/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "toc/encode/prefix_tree_write.h"

/* Table 2 and figure 3 of the paper; its leaves 1:1.1, 2:1.1, 2:2, 3:3, 4:1.4 are 0 .. 4 here. */
Test(prefix_tree_write, the_paper_s_example_with_its_unused_nodes_left_out)
{
    static const uint32_t leaf[] = {0, 2, 3, 4, 0, 2, 3, 1, 3, 4, 0, 2};
    static const uint32_t start[] = {0, 4, 7, 10, 12};
    static const uint32_t code[] = {0, 2, 3, 4, 5, 3, 1, 6, 5}, flag[] = {1, 0, 1, 0, 0};
    static const uint32_t size[] = {4, 2, 2, 1};
    struct lod_prefix_tree tree;

    cr_assert_eq(lod_prefix_tree_init(&tree, 4, 12), 0);
    for (unsigned again = 0; again < 2; again++) {
        lod_prefix_tree_encode(&tree, 5, 4, start, leaf);
        cr_assert(tree.codes == 9 && tree.flags == 5 && tree.nodes == 2 && tree.empty_rows == 0);
        cr_assert_arr_eq(tree.code, code, sizeof(code));
        cr_assert_arr_eq(tree.flag, flag, sizeof(flag));
        cr_assert_arr_eq(tree.size, size, sizeof(size));
    }
    lod_prefix_tree_finish(&tree);
}

Test(prefix_tree_write, rows_without_a_pair_have_no_code)
{
    static const uint32_t start[] = {7, 7, 8, 8}, leaf[] = {0, 0, 0, 0, 0, 0, 0, 3};
    struct lod_prefix_tree tree;

    cr_assert_eq(lod_prefix_tree_init(&tree, 3, 1), 0);
    lod_prefix_tree_encode(&tree, 4, 3, start, leaf);
    cr_assert(tree.codes == 1 && tree.flags == 0 && tree.nodes == 0 && tree.empty_rows == 2);
    cr_assert(tree.code[0] == 3 && tree.size[0] == 0 && tree.size[1] == 1);
    lod_prefix_tree_finish(&tree);
}

Test(prefix_tree_write, a_row_that_comes_again_takes_fewer_codes_each_time)
{
    uint32_t leaf[64], start[5] = {0, 16, 32, 48, 64};
    struct lod_prefix_tree tree;

    for (unsigned i = 0; i < 64; i++) {
        leaf[i] = i % 16;
    }
    cr_assert_eq(lod_prefix_tree_init(&tree, 4, 64), 0);
    lod_prefix_tree_encode(&tree, 16, 4, start, leaf);
    cr_assert(tree.size[0] == 16 && tree.size[1] == 8 && tree.size[2] <= 8 &&
              tree.size[3] < tree.size[2]);
    lod_prefix_tree_finish(&tree);
}
