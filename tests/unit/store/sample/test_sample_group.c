/* SPDX-License-Identifier: Apache-2.0 */
/* Which files of a folder make a sample, through the rows that an index gets of them. */
#include <errno.h>

#include "store/tree_fixture.h"

#include "sample/sample_rows.h"

/* Names of pictures have "jpg" in them: here all files are raw items of a record with a cut. */
static struct fixture f;
static struct tree *tree;
static struct lod_index *index_of_tree;

static void make(const char *const *paths)
{
    const char *bad;

    f = fixture_create();
    tree = calloc(1, sizeof(*tree));
    add(tree, "", S_IFDIR);
    for (; *paths; paths++) {
        size_t bytes = strlen(*paths);
        char path[300];
        bool folder = (*paths)[bytes - 1] == '/';
        snprintf(path, sizeof(path), "%.*s", (int)(bytes - folder), *paths);
        add(tree, path, folder ? S_IFDIR : S_IFREG);
    }
    cr_assert_eq(write_tree(&f, tree, &bad), 0, "%s", bad);
    index_of_tree = open_tree(&f, tree);
}

static void finish(void)
{
    lod_index_close(index_of_tree);
    free_tree(tree);
    fixture_destroy(&f);
}

static struct lod_sample_row row_of(const char *path)
{
    struct lod_sample_row row = {0};
    struct lod_node node;

    cr_assert_eq(lod_index_walk(index_of_tree, path, &node), 0, "%s", path);
    cr_assert_eq(lod_index_sample(index_of_tree, node.ref, &row), 0);
    return row;
}

static void check(const char *path, enum lod_sample_form form, int before, int after, int label)
{
    struct lod_sample_row row = row_of(path);

    cr_expect_eq(row.form, form, "%s: form %d", path, row.form);
    cr_expect_eq(row.before, before, "%s: %d before", path, row.before);
    cr_expect_eq(row.after, after, "%s: %d after", path, row.after);
    cr_expect_eq(row.label, label, "%s: label %d", path, row.label);
}

Test(sample_group, files_of_one_stem_are_one_sample)
{
    make((const char *const[]){"d/", "d/a.jpg", "d/a.seg.png", "d/a.txt", "d/a", "d/a-1.jpg",
                               "d/ab.jpg", NULL});
    check("d/a.jpg", LOD_SAMPLE_PLAIN, 0, 2, 0);
    check("d/a.txt", LOD_SAMPLE_NONE, 0, 0, -1);
    check("d/a.seg.png", LOD_SAMPLE_NONE, 0, 0, -1);
    check("d/a", LOD_SAMPLE_NUMBERED, 0, 0, 0);
    check("d/a-1.jpg", LOD_SAMPLE_PLAIN, 0, 0, 0);
    check("d/ab.jpg", LOD_SAMPLE_PLAIN, 0, 0, 0);
    finish();
}

Test(sample_group, names_with_more_dots_go_by_the_last)
{
    make((const char *const[]){"i.1.jpg", "i.1.txt", "i.2.jpg", "j.1.jpg", "j_1.jpg", "x_y.1.jpg",
                               ".h", ".h.jpg", NULL});
    check("i.1.jpg", LOD_SAMPLE_DOTTED, 0, 1, -1);
    check("i.1.txt", LOD_SAMPLE_NONE, 0, 0, -1);
    check("i.2.jpg", LOD_SAMPLE_DOTTED, 0, 0, -1);
    check("j.1.jpg", LOD_SAMPLE_NUMBERED, 0, 0, -1);
    check("x_y.1.jpg", LOD_SAMPLE_NUMBERED, 0, 0, -1);
    check(".h", LOD_SAMPLE_DOTTED, 0, 0, -1);
    check(".h.jpg", LOD_SAMPLE_DOTTED, 0, 0, -1);
    finish();
}

Test(sample_group, a_run_has_at_most_33_names)
{
    static char texts[36][16];
    const char *paths[37] = {"m.jpg"};

    for (unsigned count = 32; count <= 33; count++) {
        for (unsigned i = 0; i < count; i++) {
            snprintf(texts[i], sizeof(texts[i]), "m.%02u.txt", i);
            paths[1 + i] = texts[i];
        }
        paths[1 + count] = NULL;
        make(paths);
        check("m.jpg", LOD_SAMPLE_PLAIN, count == 32 ? 32 : 0, 0, -1);
        check("m.00.txt", count == 32 ? LOD_SAMPLE_NONE : LOD_SAMPLE_DOTTED, 0, 0, -1);
        finish();
    }
}

/* Items are stored in order of paths here. The key of "a" is e6c6.., that of "cat.1" is 91a0... */
Test(sample_group, rows_have_the_key_of_the_first_lead)
{
    struct lod_sums_row sums;

    make((const char *const[]){"cat.1.jpg", "d/", "d/a.jpg", NULL});
    cr_assert_eq(lod_index_sums(index_of_tree, 0, &sums), 0);
    cr_expect_eq(sums.key, 0x91a0e0f30820f3d8);
    cr_assert_eq(lod_index_sums(index_of_tree, 1, &sums), 0);
    cr_expect_eq(sums.key, 0, "of a closing row");
    cr_expect(lod_index_keys(index_of_tree).ascend);
    finish();

    make((const char *const[]){"a.jpg", "d/", "d/cat.1.jpg", NULL});
    cr_assert_eq(lod_index_sums(index_of_tree, 0, &sums), 0);
    cr_expect_eq(sums.key, 0xe6c632b61e964e1f);
    cr_expect_not(lod_index_keys(index_of_tree).ascend);
    finish();
}

Test(sample_group, labels_count_the_folders_of_a_split)
{
    struct lod_sums_row sums;

    make((const char *const[]){"train/", "train/a/", "train/b/", "train/b/c/", "train/1.jpg",
                               "train/b/2.jpg", "train/b/c/3.jpg", "Val/", "Val/b/", "Val/b/4.jpg",
                               NULL});
    check("train/1.jpg", LOD_SAMPLE_PLAIN, 0, 0, -1);
    check("train/b/2.jpg", LOD_SAMPLE_PLAIN, 0, 0, 1);
    check("train/b/c/3.jpg", LOD_SAMPLE_PLAIN, 0, 0, 1);
    check("Val/b/4.jpg", LOD_SAMPLE_PLAIN, 0, 0, 0);
    cr_assert_eq(lod_index_sums_rows(index_of_tree), 4);
    cr_assert_eq(lod_index_sums(index_of_tree, 3, &sums), 0);
    cr_assert_eq(sums.record, LOD_SUMS_CLOSING);
    cr_assert_eq(sums.leads[0], 3);
    cr_assert_eq(sums.longest_path, strlen("train/b/c/3.jpg"));
    /* Three empty files. Two of them have a label, which takes a header and a block. */
    cr_assert_eq(sums.bytes[0][0], 512 * (1 + 3 + 3));
    cr_assert_eq(lod_index_sums(index_of_tree, 4, &sums), -ENOENT);
    finish();
}

Test(sample_group, one_picture_outside_makes_the_root_the_split)
{
    make((const char *const[]){"train/", "train/1.jpg", "val/", "val/2.jpg", "3.jpg", NULL});
    check("train/1.jpg", LOD_SAMPLE_PLAIN, 0, 0, 0);
    check("val/2.jpg", LOD_SAMPLE_PLAIN, 0, 0, 1);
    check("3.jpg", LOD_SAMPLE_PLAIN, 0, 0, -1);
    cr_assert_eq(lod_index_sums_rows(index_of_tree), 2);
    finish();
}
