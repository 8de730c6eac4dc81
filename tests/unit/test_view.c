/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "views/view.h"

Test(view, the_root_shows_each_fidelity_once_in_order)
{
    static const char *const names[] = {"q1", "q2", "q3", "q4",  "q5",   "q6",
                                        "q7", "q8", "q9", "q10", "full", "original"};
    struct lod_inode inode;

    for (unsigned i = 0; i < 12; i++) {
        cr_assert_str_eq(lod_view_root(i, &inode), names[i]);
        cr_assert_eq(inode.fidelity, i + 1);
        cr_assert_eq(inode.node, 0);
        cr_assert_eq(inode.format, LOD_FORMAT_TREE);
    }
    cr_assert_null(lod_view_root(12, &inode));
    cr_assert_null(lod_view_root(13, &inode));
    cr_assert_null(lod_view_root(0xffffffffu, &inode));
}

Test(view, every_root_folder_has_a_number_that_leads_back_to_its_view)
{
    struct lod_inode inode, back;

    for (unsigned i = 0; lod_view_root(i, &inode); i++) {
        cr_assert_eq(lod_inode_unpack(lod_inode_pack(inode), &back), 0);
        cr_assert_eq(back.fidelity, inode.fidelity);
        cr_assert_not_null(lod_view_of(back.format));
        cr_assert_eq(lod_view_of(back.format)->format, back.format);
    }
    cr_assert_null(lod_view_of((enum lod_format)99));
}

Test(view, the_tree_shows_all_nodes_at_what_it_lists_and_no_other_fidelity)
{
    struct lod_node node = {.number = 5, .mode = S_IFDIR | 0755};

    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        cr_assert_eq(lod_view_tree.shows(NULL, &node, (enum lod_fidelity)f), 0);
    }
    node.flags = LOD_NODE_VIRTUAL;
    cr_assert_eq(lod_view_tree.shows(NULL, &node, LOD_FULL), 0);
    cr_assert_eq(lod_view_tree.shows(NULL, &node, LOD_ORIGINAL), -ENOENT, "not of the source");
    cr_assert_eq(lod_view_tree.shows(NULL, &node, (enum lod_fidelity)0), -ENOENT);
}

Test(view, the_tree_plans_what_the_codec_plans)
{
    struct lod_item item = {.codec = &lod_codec_raw};
    struct lod_plan plan;

    lod_put_le64(item.row + 8, 123456);
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        cr_assert_eq(lod_view_tree.plan(NULL, &item, (enum lod_fidelity)f, &plan), 0);
        cr_assert_eq(plan.bytes, 123456);
    }
    item.row[0] = 0x80;
    cr_assert_eq(lod_view_tree.plan(NULL, &item, LOD_FULL, &plan), -EILSEQ, "an undefined flag");
}
