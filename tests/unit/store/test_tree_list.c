/* SPDX-License-Identifier: Apache-2.0 */
/* The tree list, parsed by hand as FORMAT.md describes it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "bytes.h"
#include "backend/format.h"
#include "record/tree_list.h"

static void check_text(struct lod_cursor *c, size_t bytes, const char *expected)
{
    const uint8_t *at = lod_take(c, bytes);

    cr_assert_eq(bytes, strlen(expected));
    cr_assert(bytes == 0 || memcmp(at, expected, bytes) == 0, "%s", expected);
}

Test(tree_list, a_list_has_the_layout_of_the_format)
{
    static const struct lod_tree_entry entries[] = {
        {LOD_TREE_FOLDER, 0755, -1, "", NULL, 0},
        {LOD_TREE_FOLDER, 0700, 5ll << 30, "d", NULL, 0},
        {LOD_TREE_FOLDER, 0700, 5ll << 30, "d/v", NULL, LOD_NODE_VIRTUAL},
        {LOD_TREE_SYMLINK, 0777, 0, "d/l", "../../x", 0},
        {LOD_TREE_EQUAL, 0600, 1, "d/b", "a", 0},
        {LOD_TREE_EQUAL, 0600, 1, "d/v/b", "a", LOD_NODE_VIRTUAL},
        {LOD_TREE_HARD_LINK, 0600, 1, "d/c", "a", 0},
    };
    struct lod_buf list = {0};
    cJSON *pack = cJSON_Parse("{\"order\": \"shuffle\", \"seed\": 0}");

    cr_assert_eq(lod_tree_list_begin(&list, pack, NULL), 0);
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        cr_assert_eq(lod_tree_list_add(&list, &entries[i]), 0);
    }
    struct lod_cursor c = lod_cursor(list.data, list.bytes);
    check_text(&c, lod_take_le32(&c), "{\"order\":\"shuffle\",\"seed\":0}");
    check_text(&c, lod_take_le32(&c), "");
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        cr_assert_eq(lod_take_u8(&c), entries[i].kind);
        cr_assert_eq(lod_take_u8(&c), entries[i].flags);
        cr_assert_eq(lod_take_le16(&c), entries[i].mode);
        uint16_t path_bytes = lod_take_le16(&c), target_bytes = lod_take_le16(&c);
        cr_assert_eq((int64_t)lod_take_le64(&c), entries[i].mtime);
        check_text(&c, path_bytes, entries[i].path);
        check_text(&c, target_bytes, entries[i].target ? entries[i].target : "");
    }
    cr_assert_eq(c.left, 0);
    cr_assert_not(c.short_of_bytes);
    cJSON_Delete(pack);
    lod_buf_finish(&list);
}

Test(tree_list, invalid_entries_are_refused)
{
    static const struct lod_tree_entry bad[] = {
        {LOD_TREE_FOLDER, 010755, 0, "d", NULL, 0},
        {LOD_TREE_FOLDER, 0755, 0, "d/..", NULL, 0},
        {LOD_TREE_FOLDER, 0755, 0, "d", "target", 0},
        {LOD_TREE_SYMLINK, 0777, 0, "l", NULL, 0},
        {LOD_TREE_SYMLINK, 0777, 0, "", "x", 0},
        {LOD_TREE_EQUAL, 0644, 0, "a", "../b", 0},
        {(enum lod_tree_kind)0, 0644, 0, "a", "b", 0},
        {(enum lod_tree_kind)5, 0644, 0, "a", "b", 0},
        {LOD_TREE_FOLDER, 0755, 0, "d", NULL, LOD_NODE_ALIAS},
        {LOD_TREE_SYMLINK, 0777, 0, "l", "t", LOD_NODE_VIRTUAL},
        {LOD_TREE_HARD_LINK, 0644, 0, "l", "t", LOD_NODE_VIRTUAL},
    };
    struct lod_buf list = {0};
    char target[LOD_TARGET_MAX + 2];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(lod_tree_list_add(&list, &bad[i]), -EINVAL, "%zu", i);
    }
    memset(target, 'x', sizeof(target));
    target[LOD_TARGET_MAX + 1] = '\0';
    struct lod_tree_entry link = {LOD_TREE_SYMLINK, 0777, 0, "l", target, 0};
    cr_assert_eq(lod_tree_list_add(&list, &link), -EINVAL);
    target[LOD_TARGET_MAX] = '\0';
    cr_assert_eq(lod_tree_list_add(&list, &link), 0);
    lod_buf_finish(&list);
}
