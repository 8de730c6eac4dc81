/* SPDX-License-Identifier: Apache-2.0 */
/* The view decoded/: every name belongs to one node, and every node has one name. */
#include <criterion/criterion.h>
#include <errno.h>

#include "log.h"
#include "views/view.h"
#include "store/whole_store.h"

/* Names in one folder. Pictures share item 4, other files item 2; one item is stored whole. */
static const struct {
    const char *own, *shown;
    uint32_t item;
} names[] = {
    {"plain.jpg", "plain.ppm", 4},
    {"twice.jpg", "twice.jpg.ppm", 4},
    {"twice.png", "twice.png.ppm", 4},
    {"label.jpg", "label.ppm", 4},
    {"label.txt", "label.txt", 2},
    {"taken.JPG", "taken.JPG.ppm", 4},
    {"taken.ppm", "taken.ppm", 2},
    {"odd.Jpg", "odd.Jpg.ppm", 4},
    {"none", "none.ppm", 4},
    {"both", "both", 4}, /* both.jpg is both.ppm */
    {"both.jpg", "both.ppm", 4},
    {"full.jpg", "full.jpg", 4}, /* all names that it could have are taken */
    {"full.jpg.ppm", "full.jpg.ppm", 2},
    {"full.png", "full.png.ppm", 4},
    {"same.ppm", "same.ppm", 4},
    {"whole.jpeg", "whole.jpeg", 6},
};
#define NAMES (sizeof(names) / sizeof(names[0]))

static struct fixture fixture;
static struct lod_dataset *dataset;

static void open_dataset(void)
{
    struct lod_why why = {.text = ""};

    cr_assert_eq(lod_dataset_open(fixture.folder, &(struct lod_open_options){.settings = NULL},
                                  &dataset, &why),
                 0, "%s", why.text);
}

/* The records of the whole store, with an index that has more names. */
static void write_names(const char *folder)
{
    static char paths[NAMES + 1][LOD_PATH_MAX + 1];
    struct lod_entry entries[WHOLE_LIST + WHOLE_FILES + NAMES + 1];
    static uint8_t rows[WHOLE_FILES][LOD_ROW_BYTES];
    struct lod_entry_record records[3];
    struct lod_manifest manifest = *lod_dataset_manifest(dataset);
    size_t count = whole_entries(entries);
    const char *bad;

    for (uint32_t i = 0; i < WHOLE_FILES; i++) {
        cr_assert_eq(lod_index_item(lod_dataset_index(dataset), i, rows[i]), 0);
        lod_put_le32(rows[i] + 4, 0);
    }
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(lod_index_record(lod_dataset_index(dataset), i, &records[i].recd), 0);
        records[i].rows = rows[records[i].recd.first_item];
    }
    entries[count++] = (struct lod_entry){.path = folder, .mode = S_IFDIR | 0755};
    for (size_t i = 0; i < NAMES; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s/%s", folder, names[i].own);
        entries[count++] = (struct lod_entry){.path = paths[i],
                                              .item = names[i].item,
                                              .mode = S_IFREG | 0644,
                                              .flags = LOD_NODE_ALIAS};
    }
    struct lod_index_input input = {.entries = entries,
                                    .entries_count = count,
                                    .records = records,
                                    .records_count = 3,
                                    .store_id = manifest.store_id,
                                    .source_bytes = manifest.source_bytes};
    cr_assert_eq(
        lod_index_write(fixture.dir_fd, &input, &manifest.index_bytes, &manifest.index_hash, &bad),
        0);
    cr_assert_eq(lod_manifest_write(fixture.dir_fd, &manifest), 0);
}

static void setup(void)
{
    lod_log_setup(LOD_LOG_ERROR);
    fixture = fixture_create();
    whole_store_write(&fixture);
    open_dataset();
    write_names("names");
    lod_dataset_close(dataset);
    open_dataset();
}

static void teardown(void)
{
    lod_dataset_close(dataset);
    fixture_destroy(&fixture);
}

TestSuite(decoded, .init = setup, .fini = teardown);

static struct lod_node node_at(const char *path)
{
    struct lod_node node;

    cr_assert_eq(lod_dataset_walk(dataset, path, &node), 0, "%s", path);
    return node;
}

Test(decoded, each_name_is_looked_up_to_its_own_node)
{
    struct lod_node folder = node_at("names"), found;
    char path[100], shown[LOD_NAME_MAX + 1];

    for (size_t i = 0; i < NAMES; i++) {
        snprintf(path, sizeof(path), "names/%s", names[i].own);
        struct lod_node node = node_at(path);
        cr_assert_eq(lod_view_name(&lod_view_decoded, dataset, &node, shown), 0);
        cr_assert_str_eq(shown, names[i].shown, "%s", names[i].own);
        cr_assert_eq(lod_view_lookup(&lod_view_decoded, dataset, &folder, LOD_Q1, shown, &found), 0,
                     "%s", shown);
        cr_assert_eq(found.number, node.number, "%s", shown);
    }
}

Test(decoded, source_names_that_are_not_shown_are_not_found)
{
    static const char *const gone[] = {"plain.jpg", "twice.jpg", "twice.ppm",    "taken.JPG",
                                       "none",      "none.pgm",  "plain.npy",    "full.ppm",
                                       "",          ".ppm",      "label.txt.ppm"};
    struct lod_node folder = node_at("names"), found;

    for (unsigned i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
        cr_assert_eq(
            lod_view_lookup(&lod_view_decoded, dataset, &folder, LOD_FULL, gone[i], &found),
            -ENOENT, "%s", gone[i]);
    }
    cr_assert_eq(
        lod_view_lookup(&lod_view_decoded, dataset, &folder, LOD_ORIGINAL, "plain.ppm", &found),
        -ENOENT);
}

Test(decoded, files_named_as_pixels_have_pixels_and_others_their_bytes)
{
    struct lod_plan plan, tree;
    struct lod_item item;
    char path[100];

    for (size_t i = 0; i < NAMES; i++) {
        snprintf(path, sizeof(path), "names/%s", names[i].own);
        struct lod_node node = node_at(path);
        bool pixels =
            strcmp(names[i].own, names[i].shown) != 0 || strcmp(path, "names/same.ppm") == 0;
        cr_assert_eq(lod_dataset_item(dataset, node.ref, &item), 0);
        cr_assert_eq(lod_view_plan(&lod_view_decoded, dataset, &node, &item, LOD_Q1, &plan), 0);
        cr_assert_eq(lod_view_plan(&lod_view_tree, dataset, &node, &item, LOD_Q1, &tree), 0);
        cr_assert_eq(plan.bytes, pixels ? 15 + 640 * 480 * 3 : tree.bytes, "%s", path);
    }
}

Test(decoded, the_flag_append_follows_from_the_names_and_verify_agrees)
{
    static const char *const appended[] = {"twice.jpg", "twice.png", "taken.JPG",
                                           "taken.ppm", "full.jpg",  "full.png"};
    char path[100];
    unsigned seen = 0;

    for (size_t i = 0; i < NAMES; i++) {
        snprintf(path, sizeof(path), "names/%s", names[i].own);
        seen += (node_at(path).flags & LOD_NODE_APPEND) != 0;
    }
    for (unsigned i = 0; i < sizeof(appended) / sizeof(appended[0]); i++) {
        snprintf(path, sizeof(path), "names/%s", appended[i]);
        cr_assert(node_at(path).flags & LOD_NODE_APPEND, "%s", path);
    }
    cr_assert_eq(seen, sizeof(appended) / sizeof(appended[0]));
}

/* The error must be neither another name nor "no such file": a user must learn of the damage. */
Test(decoded, an_item_that_cannot_be_read_has_no_name)
{
    const struct lod_section items =
        lod_index_section(lod_dataset_index(dataset), LOD_SECTION_ITEM);
    struct lod_node folder = node_at("names"), node = node_at("names/plain.jpg"), found;
    char shown[LOD_NAME_MAX + 1];

    lod_dataset_close(dataset);
    fixture_flip(fixture.dir_fd, "index", items.first * LOD_BLOCK_BYTES + 100, 1);
    open_dataset();
    cr_assert_eq(lod_view_name(&lod_view_decoded, dataset, &node, shown), -EIO);
    cr_assert_eq(lod_view_lookup(&lod_view_decoded, dataset, &folder, LOD_Q1, "plain.ppm", &found),
                 -EIO);
    cr_assert_eq(lod_view_name(&lod_view_native, dataset, &node, shown), -EIO);
    cr_assert_eq(lod_view_name(&lod_view_tree, dataset, &node, shown), 0);
}
