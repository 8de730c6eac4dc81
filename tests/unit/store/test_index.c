/* SPDX-License-Identifier: Apache-2.0 */
/* The index, written and read, against a simple list of entries. */
#include <criterion/criterion.h>
#include <errno.h>

#include "tree_fixture.h"

/* Finds `path` by lookups. */
static int walk(struct lod_index *index, const char *path, struct lod_node *ret_node)
{
    int error = lod_index_node(index, 0, ret_node);

    while (!error && *path) {
        size_t bytes = strcspn(path, "/");
        error = lod_index_lookup(index, ret_node, path, bytes, ret_node);
        path += bytes + (path[bytes] == '/');
    }
    return error;
}

static void check_entry(struct lod_index *index, const struct lod_entry *entry)
{
    char target[LOD_TARGET_MAX + 1], name[LOD_NAME_MAX + 1];
    const char *slash = strrchr(entry->path, '/');
    uint8_t row[LOD_ROW_BYTES];
    struct lod_node node;

    cr_assert_eq(walk(index, entry->path, &node), 0);
    cr_assert_eq(node.mode, entry->mode);
    cr_assert_eq(node.mtime, entry->mtime);
    cr_assert_eq(node.flags, entry->flags);
    cr_assert_eq(lod_index_name(index, &node, name), 0);
    cr_assert_str_eq(name, slash ? slash + 1 : entry->path);
    if (S_ISREG(entry->mode)) {
        cr_assert_eq(node.ref, entry->item);
        cr_assert_eq(lod_index_item(index, node.ref, row), 0);
        cr_assert_eq(lod_row_own_node(row), node.number);
    } else if (S_ISLNK(entry->mode)) {
        cr_assert_eq(lod_index_target(index, &node, target), 0);
        cr_assert_str_eq(target, entry->target);
    }
}

/* Numbers are breadth first: parents never decrease, children ascend by memcmp of names. */
static void check_numbering(struct lod_index *index)
{
    struct lod_node node, before, parent;
    char name[LOD_NAME_MAX + 1], name_before[LOD_NAME_MAX + 1];

    cr_assert_eq(lod_index_node(index, 0, &before), 0);
    for (uint32_t i = 1; i < lod_index_nodes(index); i++) {
        cr_assert_eq(lod_index_node(index, i, &node), 0);
        cr_assert_eq(lod_index_name(index, &node, name), 0);
        cr_assert_eq(lod_index_node(index, node.parent, &parent), 0);
        cr_assert(i >= parent.ref && i - parent.ref < parent.count);
        cr_assert_geq(node.parent, before.parent);
        if (i > 1 && node.parent == before.parent) {
            cr_assert_lt(strcmp(name_before, name), 0);
        }
        strcpy(name_before, name);
        before = node;
    }
    cr_assert_eq(lod_index_node(index, lod_index_nodes(index), &node), -ENOENT);
}

Test(index, random_trees_survive_a_round_trip)
{
    struct fixture f = fixture_create();
    static const size_t counts[] = {1, 2, 3, 127, 128, 700, 3000};
    const char *bad;

    for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct tree *tree = random_tree(i, counts[i]);
        cr_assert_eq(write_tree(&f, tree, &bad), 0);
        struct lod_index *index = open_tree(&f, tree);
        cr_assert_eq(lod_index_nodes(index), tree->count);
        for (size_t e = 0; e < tree->count; e++) {
            check_entry(index, &tree->entries[e]);
        }
        check_numbering(index);
        lod_index_close(index);
        free_tree(tree);
    }
    fixture_destroy(&f);
}

Test(index, missing_names_are_not_found)
{
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(5, 500);
    struct lod_node root, node;
    const char *bad;

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    struct lod_index *index = open_tree(&f, tree);
    cr_assert_eq(lod_index_node(index, 0, &root), 0);
    cr_assert_eq(lod_index_lookup(index, &root, "", 0, &node), -ENOENT);
    cr_assert_eq(lod_index_lookup(index, &root, ".", 1, &node), -ENOENT);
    cr_assert_eq(lod_index_lookup(index, &root, "\xff\xff\xff\xff\xff\xff", 6, &node), -ENOENT);
    for (int i = 0; i < 500; i++) {
        char name[NAMES_MAX + 1];
        random_name(name);
        int expected = taken(tree, name) ? 0 : -ENOENT;
        cr_assert_eq(lod_index_lookup(index, &root, name, strlen(name), &node), expected);
        if (expected == 0 && !S_ISDIR(node.mode)) {
            cr_assert_eq(lod_index_lookup(index, &node, "x", 1, &node), -ENOTDIR);
        }
    }
    lod_index_close(index);
    free_tree(tree);
    fixture_destroy(&f);
}

/* Writes a tree of the given paths: "!" before a symlink, "/" after a folder. */
static int write_paths(struct fixture *f, const char *const *paths, const char **ret_bad)
{
    struct tree *tree = calloc(1, sizeof(*tree));
    static char bad[64];

    for (; *paths; paths++) {
        char path[64];
        size_t bytes = strlen(*paths);
        strcpy(path, *paths);
        bool folder = bytes == 0 || path[bytes - 1] == '\\';
        path[folder && bytes ? bytes - 1 : bytes] = '\0';
        add(tree, path, folder ? S_IFDIR : S_IFREG);
    }
    int error = write_tree(f, tree, ret_bad);
    if (error) {
        snprintf(bad, sizeof(bad), "%s", *ret_bad);
        *ret_bad = bad;
    }
    free_tree(tree);
    return error;
}

Test(index, entries_that_form_no_tree_are_refused_by_name)
{
    struct fixture f = fixture_create();
    static const struct {
        const char *paths[5];
        int error;
        const char *bad;
    } cases[] = {
        {{"", "a", "b"}, 0, ""},
        {{"", "a", "b", "a"}, -EEXIST, "a"},
        {{"", "a\\", "a"}, -EEXIST, "a"},
        {{"", "a/b"}, -ENOTDIR, "a/b"},
        {{"", "a", "a/b"}, -ENOTDIR, "a/b"},
        {{"", "a\\", "a/b\\", "ab/c"}, -ENOTDIR, "ab/c"},
        {{"a", "b"}, -ENOTDIR, "a"},
        {{"", ".."}, -EINVAL, ".."},
        {{"", "a\\", "a/."}, -EINVAL, "a/."},
        {{"", "a\\", "a//b"}, -EINVAL, "a//b"},
        {{"", "/a"}, -EINVAL, "/a"},
        {{"", "a/"}, -EINVAL, "a/"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *bad = "";
        cr_assert_eq(write_paths(&f, cases[i].paths, &bad), cases[i].error, "case %zu", i);
        if (cases[i].error) {
            cr_assert_str_eq(bad, cases[i].bad);
        }
    }
    fixture_destroy(&f);
}

Test(index, two_owners_of_an_item_are_refused_and_aliases_are_not)
{
    struct fixture f = fixture_create();
    struct tree *tree = calloc(1, sizeof(*tree));
    const char *bad = "";

    add(tree, "", S_IFDIR);
    add(tree, "a", S_IFREG);
    add(tree, "b", S_IFREG);
    tree->entries[2].item = 0;
    cr_assert_eq(write_tree(&f, tree, &bad), -EINVAL);
    cr_assert_str_eq(bad, "b");
    tree->entries[2].flags = LOD_NODE_ALIAS;
    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    tree->entries[2].item = 3;
    cr_assert_eq(write_tree(&f, tree, &bad), -EINVAL);
    free_tree(tree);
    fixture_destroy(&f);
}

Test(index, every_item_has_its_record)
{
    struct fixture f = fixture_create();
    enum { RECORDS = 100 };
    struct lod_entry_record records[RECORDS];
    struct lod_entry root = {.path = "", .mode = S_IFDIR | 0755};
    struct tree tree = {.manifest = {.store_id = {9, 9}, .records = RECORDS}};
    uint8_t *rows = calloc(RECORDS, LOD_ROW_BYTES);
    const char *bad;

    make_record(&tree);
    for (uint32_t i = 0; i < RECORDS; i++) {
        records[i] = tree.record;
        records[i].rows = rows;
        records[i].recd.items = 1 + i % 7;
        records[i].recd.metadata_bytes = 1000;
        records[i].recd.group_bytes[0] = i;
        records[i].recd.file_bytes = LOD_RECORD_HEADER + 1000 + i;
        tree.manifest.items += records[i].recd.items;
        snprintf(records[i].recd.path, sizeof(records[i].recd.path), "7/%06u.raw", i);
    }
    struct lod_index_input input = {.entries = &root,
                                    .entries_count = 1,
                                    .records = records,
                                    .records_count = RECORDS,
                                    .store_id = {9, 9}};
    cr_assert_eq(lod_index_write(f.dir_fd, &input, &tree.manifest.index_bytes,
                                 &tree.manifest.index_hash, &bad),
                 0);
    struct lod_index *index = open_tree(&f, &tree);
    uint32_t item = 0;
    struct lod_record_desc recd;
    for (uint32_t i = 0; i < RECORDS; i++) {
        for (uint32_t k = 0; k < records[i].recd.items; k++, item++) {
            cr_assert_eq(lod_index_record_of(index, item, &recd), 0);
            cr_assert_eq(recd.number, i);
            cr_assert_eq(recd.first_item, item - k);
            cr_assert_eq(recd.group_bytes[0], i);
            cr_assert_str_eq(recd.path, records[i].recd.path);
        }
    }
    cr_assert_eq(lod_index_record_of(index, item, &recd), -ENOENT);
    lod_index_close(index);
    free(rows);
    free(tree.rows);
    fixture_destroy(&f);
}
