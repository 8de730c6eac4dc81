/* SPDX-License-Identifier: Apache-2.0 */
/* All names in the mount of a small store: down by number and by name, and up again. */
#include <criterion/criterion.h>
#include <errno.h>

#include "shard/shown_file.h"
#include "views/namespace_file.h"
#include "log.h"
#include "store/store_fixture.h"

static const struct fixture_file files[] = {{"a", "hello\n"}, {"d/e/f", "fox"}};
static const struct fixture_file list = {"", "a list"};

static struct fixture fixture;
static struct lod_dataset *dataset;

static void setup(void)
{
    struct lod_entry entries[] = {
        {.path = "", .mode = S_IFDIR | 0755},
        {.path = "a", .mode = S_IFREG | 0644, .item = 1},
        {.path = "d", .mode = S_IFDIR | 0755},
        {.path = "d/e", .mode = S_IFDIR | 0700},
        {.path = "d/e/f", .mode = S_IFREG | 0644, .item = 2},
        {.path = "d/v", .mode = S_IFDIR | 0755, .flags = LOD_NODE_VIRTUAL},
    };
    struct lod_why why = {.text = ""};

    lod_log_setup(LOD_LOG_ERROR);
    fixture = fixture_create();
    fixture_commit(&fixture, files, 2, &list, entries, sizeof(entries) / sizeof(entries[0]));
    cr_assert_eq(lod_dataset_open(fixture.folder, &(struct lod_open_options){.settings = NULL},
                                  &dataset, &why),
                 0, "%s", why.text);
}

static void teardown(void)
{
    lod_dataset_close(dataset);
    fixture_destroy(&fixture);
}

TestSuite(namespace, .init = setup, .fini = teardown);

static struct lod_found root(void)
{
    struct lod_found found;

    cr_assert_eq(lod_namespace_find(dataset, LOD_INODE_ROOT, &found), 0);
    return found;
}

/* Walks everything below `folder`. Every child by position is the child by name and by number, and
 * its parent is this folder. Returns their number. */
static unsigned walk(const struct lod_found *folder)
{
    char name[LOD_NAME_MAX + 1];
    struct lod_found child, same, up;
    unsigned seen = 0;

    for (uint64_t i = 0; i < lod_namespace_count(folder); i++) {
        int error = lod_namespace_child(dataset, folder, i, &child, name);
        if (error == -ENOENT) {
            continue;
        }
        cr_assert_eq(error, 0);
        uint64_t number = lod_inode_pack(child.inode);
        cr_assert_eq(lod_namespace_lookup(dataset, folder, name, &same), 0, "%s", name);
        cr_assert_eq(lod_inode_pack(same.inode), number, "%s", name);
        cr_assert_eq(lod_namespace_find(dataset, number, &same), 0, "%s", name);
        cr_assert_eq(same.node.mode, child.node.mode);
        seen++;
        if (S_ISDIR(child.node.mode)) {
            cr_assert_eq(lod_namespace_up(dataset, &child, &up), 0);
            cr_assert_eq(lod_inode_pack(up.inode), lod_inode_pack(folder->inode), "%s", name);
            seen += walk(&child);
        }
    }
    return seen;
}

Test(namespace, every_child_is_found_by_position_name_and_number)
{
    struct lod_found top = root();

    /* a, d, d/e, d/e/f in 12 trees, d/v in all but original; .lodfs and four in it; auto. */
    cr_assert_geq(walk(&top), 12 * (1 + 4) + 11 + 5 + 1);
}

Test(namespace, the_tree_stands_at_the_root_at_each_fidelity_in_order)
{
    static const char *const names[] = {"q1", "q2", "q3", "q4",  "q5",   "q6",
                                        "q7", "q8", "q9", "q10", "full", "original"};
    char name[LOD_NAME_MAX + 1];
    struct lod_found top = root(), child;

    for (unsigned i = 0; i < 12; i++) {
        cr_assert_eq(lod_namespace_child(dataset, &top, i, &child, name), 0);
        cr_assert_str_eq(name, names[i]);
        cr_assert_eq(child.inode.fidelity, i + 1);
        cr_assert_eq(child.inode.format, LOD_FORMAT_TREE);
        cr_assert_eq(child.inode.node, 0);
        cr_assert_lt(lod_inode_pack(child.inode), 1ull << 36, "exact in a double");
    }
}

Test(namespace, auto_and_dot_lodfs_follow_the_fidelities)
{
    struct lod_found top = root(), found, child;

    cr_assert_eq(lod_namespace_lookup(dataset, &top, "auto", &found), 0);
    cr_assert(S_ISLNK(found.node.mode));
    cr_assert_eq(found.inode.fidelity, LOD_AUTO);
    cr_assert_not_null(found.view);
    cr_assert_eq(lod_namespace_lookup(dataset, &top, ".lodfs", &found), 0);
    cr_assert_eq(lod_inode_pack(found.inode), LOD_INODE_DOT_LODFS);
    cr_assert_eq(lod_namespace_count(&found), 5);
    cr_assert_eq(lod_namespace_lookup(dataset, &found, "control", &child), 0);
    cr_assert_eq(child.node.mode, S_IFREG | 0400);
    cr_assert_eq(lod_namespace_lookup(dataset, &found, "", &child), -ENOENT);
    cr_assert_eq(lod_namespace_lookup(dataset, &top, "full", &found), 0);
    cr_assert_eq(lod_namespace_lookup(dataset, &found, ".lodfs", &child), -ENOENT);
    cr_assert_eq(lod_namespace_lookup(dataset, &found, "auto", &child), -ENOENT);
}

Test(namespace, a_node_hidden_at_a_fidelity_has_no_inode_number_there)
{
    struct lod_found top = root(), tree, found;
    char name[LOD_NAME_MAX + 1];

    cr_assert_eq(lod_namespace_lookup(dataset, &top, "original", &tree), 0);
    cr_assert_eq(lod_namespace_child(dataset, &tree, 1, &found, name), 0);
    cr_assert_str_eq(name, "d");
    cr_assert_eq(lod_namespace_lookup(dataset, &found, "v", &tree), -ENOENT);
    cr_assert_eq(lod_namespace_child(dataset, &found, 1, &tree, name), -ENOENT);
    cr_assert_eq(lod_namespace_lookup(dataset, &top, "full", &tree), 0);
    cr_assert_eq(lod_namespace_lookup(dataset, &tree, "d", &found), 0);
    cr_assert_eq(lod_namespace_lookup(dataset, &found, "v", &tree), 0);
    tree.inode.fidelity = LOD_ORIGINAL;
    cr_assert_eq(lod_namespace_find(dataset, lod_inode_pack(tree.inode), &found), -ENOENT);
}

/* Follows names from the root. */
static int resolve(const char *const *names, struct lod_found *ret_found)
{
    struct lod_found at = root();
    int error = 0;

    for (; !error && *names; names++) {
        const struct lod_found folder = at;
        error = lod_namespace_lookup(dataset, &folder, *names, &at);
    }
    *ret_found = at;
    return error;
}

#define RESOLVE(found, ...) resolve((const char *const[]){__VA_ARGS__, NULL}, found)

Test(namespace, parts_are_found_and_not_listed)
{
    struct lod_found parts, count, part, up;

    cr_assert_eq(RESOLVE(&parts, "parts"), 0);
    cr_assert_eq(lod_namespace_count(&parts), 0);
    cr_assert_eq(RESOLVE(&count, "parts", "3"), 0);
    cr_assert_eq(lod_namespace_count(&count), 0);
    cr_assert(S_ISDIR(count.node.mode));
    cr_assert_eq(RESOLVE(&part, "parts", "3", "2"), 0);
    walk(&part);
    cr_assert_eq(lod_namespace_up(dataset, &part, &up), 0);
    cr_expect_eq(lod_inode_pack(up.inode), lod_inode_pack(count.inode));
    cr_assert_eq(lod_namespace_up(dataset, &count, &up), 0);
    cr_expect_eq(lod_inode_pack(up.inode), lod_inode_pack(parts.inode));
    cr_assert_eq(lod_namespace_up(dataset, &parts, &up), 0);
    cr_expect_eq(lod_inode_pack(up.inode), LOD_INODE_ROOT);
    cr_expect_eq(RESOLVE(&up, "parts", "3", "3"), -ENOENT);
    cr_expect_eq(RESOLVE(&up, "parts", "0"), -ENOENT);
    cr_expect_eq(RESOLVE(&up, "parts", "1025"), -ENOENT);
    cr_expect_eq(RESOLVE(&up, "parts", "3", "02"), -ENOENT);
    cr_expect_eq(RESOLVE(&up, "parts", "3", "1", ".lodfs"), -ENOENT);
    cr_expect_eq(RESOLVE(&up, "parts", "3", "1", "parts"), -ENOENT);
}

/* Folders have numbers of their own in a part; files and links have not. */
Test(namespace, files_of_parts_are_those_of_the_trees)
{
    struct lod_found plain, part, folder;
    unsigned found = 0;

    cr_assert_eq(RESOLVE(&plain, "q4", "d", "e", "f"), 0);
    for (char k = '0'; k < '4'; k++) {
        const char number[] = {k, '\0'};
        cr_assert_eq(RESOLVE(&folder, "parts", "4", number, "q4", "d", "e"), 0);
        cr_assert_eq(folder.inode.part.number, k - '0');
        if (lod_namespace_lookup(dataset, &folder, "f", &part) == 0) {
            cr_assert_eq(lod_inode_pack(part.inode), lod_inode_pack(plain.inode));
            found++;
        }
    }
    cr_assert(found == 1 || found == 4, "%u", found);
    cr_assert_eq(RESOLVE(&plain, "auto"), 0);
    cr_assert_eq(RESOLVE(&part, "parts", "4", "1", "auto"), 0);
    cr_assert_eq(lod_inode_pack(part.inode), lod_inode_pack(plain.inode));
}

Test(namespace, unknown_numbers_and_names_are_refused)
{
    static const uint64_t numbers[] = {
        0,          1ull << 32 | 999,         13ull << 32,         15ull << 32 | 1,
        6ull << 36, 15ull << 32 | 6ull << 36, LOD_INODE_PARTS + 1, 1ull << 40};
    struct lod_found top = root(), found;

    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        cr_assert_eq(lod_namespace_find(dataset, numbers[i], &found), -ENOENT);
    }
    cr_assert_eq(lod_namespace_lookup(dataset, &top, "q11", &found), -ENOENT);
    cr_assert_eq(lod_namespace_lookup(dataset, &top, "", &found), -ENOENT);
    cr_assert_eq(lod_namespace_up(dataset, &top, &found), 0);
    cr_assert_eq(lod_inode_pack(found.inode), LOD_INODE_ROOT);
}

static int walk_to(const char *path, struct lod_found *ret_found)
{
    const struct lod_found top = root();

    return lod_namespace_walk(dataset, &top, path, ret_found);
}

Test(namespace, a_path_is_walked_name_by_name)
{
    static const struct {
        const char *path;
        int error;
        uint64_t bytes;
    } cases[] = {
        {"", 0, 0},
        {"//q4//a", 0, 6},
        {"full/d/e/f/", 0, 3},
        {"native/q1/a", 0, 6},
        {"q4/a/b", -ENOTDIR, 0},
        {"q4/b", -ENOENT, 0},
        {"original/d/v", -ENOENT, 0},
        {"auto/a", -ENOTDIR, 0},
    };
    char name[LOD_PATH_MAX + 2];
    struct lod_found found;
    struct lod_contents contents;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(walk_to(cases[i].path, &found), cases[i].error, "%s", cases[i].path);
        if (!cases[i].error) {
            cr_assert_eq(lod_shown_contents(dataset, NULL, &found, &contents), 0);
            cr_assert_eq(contents.bytes, cases[i].bytes, "%s", cases[i].path);
        }
    }
    memset(name, 'x', sizeof(name));
    name[LOD_NAME_MAX + 1] = '\0';
    cr_assert_eq(walk_to(name, &found), -ENAMETOOLONG);
    memset(name, '/', sizeof(name));
    name[LOD_PATH_MAX + 1] = '\0';
    cr_assert_eq(walk_to(name, &found), -ENAMETOOLONG);
}
