/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "views/view.h"

Test(view, each_format_has_one_row_and_its_own_folder)
{
    const struct lod_view *view, *other;

    for (unsigned i = 0; (view = lod_view_at(i)); i++) {
        cr_assert_eq(lod_view_of(view->format), view);
        cr_assert_eq(view->fidelities & ~(LOD_FIDELITIES_TO_FULL | LOD_FIDELITIES_ORIGINAL), 0);
        cr_assert_eq(!view->show, !view->lookup, "%s: one without the other", view->folder);
        for (unsigned k = 0; k < i; k++) {
            other = lod_view_at(k);
            cr_assert_str_neq(view->folder, other->folder);
            cr_assert_neq(view->format, other->format);
        }
        cr_assert_eq(lod_fidelity_parse(view->folder, strlen(view->folder)), 0);
    }
    cr_assert_null(lod_view_of((enum lod_format)99));
    cr_assert_null(lod_view_at(0xffffffffu));
}

Test(view, the_tree_shows_all_nodes_at_its_fidelities_only)
{
    struct lod_node node = {.number = 5, .mode = S_IFDIR | 0755};

    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        cr_assert_eq(lod_view_shows(&lod_view_tree, NULL, &node, (enum lod_fidelity)f), 0);
        cr_assert(lod_view_tree.fidelities >> f & 1);
    }
    node.flags = LOD_NODE_VIRTUAL;
    cr_assert_eq(lod_view_shows(&lod_view_tree, NULL, &node, LOD_FULL), 0);
    cr_assert_eq(lod_view_shows(&lod_view_tree, NULL, &node, LOD_ORIGINAL), -ENOENT,
                 "not of the source");
    cr_assert_eq(lod_view_shows(&lod_view_tree, NULL, &node, (enum lod_fidelity)0), -ENOENT);
}

Test(view, the_tree_returns_the_plans_of_the_codec)
{
    struct lod_item item = {.codec = &lod_codec_raw};
    struct lod_node node = {.mode = S_IFREG};
    struct lod_plan plan;

    lod_put_le64(item.row + 8, 123456);
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        cr_assert_eq(lod_view_plan(&lod_view_tree, NULL, &node, &item, (enum lod_fidelity)f, &plan),
                     0);
        cr_assert_eq(plan.bytes, 123456);
    }
    item.row[0] = LOD_ITEM_ORIENT;
    cr_assert_eq(lod_view_plan(&lod_view_tree, NULL, &node, &item, LOD_FULL, &plan), -EILSEQ,
                 "an undefined flag");
}
