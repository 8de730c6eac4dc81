/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of datasets: which of their files stand together, and which must not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order_fixture.h"
#include "pack/plan/file_keys.h"

TestSuite(file_keys, .init = begin, .fini = end);

/* The path of file i: a prefix, i as six digits, a suffix. */
struct pattern {
    const char *before, *behind;
};

/* Samples of an image and a mask. */
struct layout {
    struct pattern image, mask;
    unsigned samples;
    uint64_t image_bytes, mask_bytes;
};

static const char *path_of(const struct pattern *pattern, unsigned i)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s%06u%s", pattern->before, i, pattern->behind);
    return path;
}

static void add_layout(const struct layout *layout)
{
    for (unsigned i = 0; i < layout->samples; i++) {
        add(path_of(&layout->image, i), layout->image_bytes, &lod_encoder_pcr);
        add(path_of(&layout->mask, i), layout->mask_bytes, &lod_encoder_l3);
    }
    make();
    check_partition();
}

/* Returns the cut of a path: the unit in which it is read, as there are two codecs. */
static uint32_t cut_of(const char *path)
{
    const struct lod_source *file = lod_source_list_find(&list, path);

    for (size_t r = 0; r < order.records_count; r++) {
        for (uint32_t i = 0; i < order.records[r].count; i++) {
            if (file_at(order.records[r].first + i) == file) {
                return order.records[r].cut;
            }
        }
    }
    cr_assert_fail("no record has %s", path);
    return UINT32_MAX;
}

/* Returns how many of a hundred images stand in the cut of their mask. */
static unsigned paired(const struct layout *layout)
{
    unsigned pairs = 0;

    for (unsigned i = 0; i < layout->samples; i++) {
        const uint32_t cut = cut_of(path_of(&layout->image, i));
        pairs += cut == cut_of(path_of(&layout->mask, i));
    }
    return 100 * pairs / layout->samples;
}

Test(file_keys, files_of_one_name_in_two_folders_are_pairs)
{
    static const struct layout voc = {
        {"JPEGImages/2007_", ".jpg"}, {"SegmentationClass/2007_", ".png"}, 500, 10 * KIB, 2 * KIB};

    add_layout(&voc);
    cr_assert_gt(order.cuts, 50);
    cr_assert_eq(paired(&voc), 100);
}

Test(file_keys, the_files_of_a_folder_of_one_sample_are_pairs)
{
    static const struct layout folders = {
        {"s", "/image.jpg"}, {"s", "/mask.png"}, 500, 10 * KIB, 2 * KIB};

    add_layout(&folders);
    cr_assert_gt(order.cuts, 50, "%u", order.cuts);
    cr_assert_eq(paired(&folders), 100);
}

Test(file_keys, sample_folders_in_two_trees_are_pairs)
{
    static const struct layout trees = {
        {"images/s", "/rgb.jpg"}, {"masks/s", "/seg.png"}, 500, 10 * KIB, 2 * KIB};

    add_layout(&trees);
    cr_assert_gt(order.cuts, 50);
    cr_assert_eq(paired(&trees), 100);
}

/* Names that differ by a suffix are in one cut only by chance, since there are many cuts. */
Test(file_keys, suffixes_are_no_pairs)
{
    static const struct layout suffixes = {{"leftImg8bit/aachen/", "_leftImg8bit.jpg"},
                                           {"gtFine/aachen/", "_gtFine.png"},
                                           500,
                                           10 * KIB,
                                           2 * KIB};

    add_layout(&suffixes);
    cr_assert_gt(order.cuts, 50);
    cr_assert_lt(paired(&suffixes), 10);
}

static void add_folders(unsigned folders, unsigned files)
{
    char path[64];

    for (unsigned folder = 0; folder < folders; folder++) {
        for (unsigned i = 0; i < files; i++) {
            snprintf(path, sizeof(path), "class%03u/%03u.jpg", folder, i);
            add(path, 10 * KIB, &lod_encoder_pcr);
        }
    }
    make();
    check_partition();
}

static unsigned folder_of(size_t place)
{
    unsigned folder;

    cr_assert_eq(sscanf(file_at(place)->path, "class%u/", &folder), 1);
    return folder;
}

/* Returns how many files of a hundred have the folder of the file before them. */
static unsigned neighbours(void)
{
    unsigned same = 0;

    for (size_t i = 1; i < order.files_count; i++) {
        same += folder_of(i) == folder_of(i - 1);
    }
    return (unsigned)(100 * same / order.files_count);
}

/* 001.jpg, 002.jpg, .. in each class: folders are no samples, and stay shuffled. */
Test(file_keys, numbered_files_of_classes_stay_shuffled)
{
    add_folders(200, 47);
    cr_assert_leq(neighbours(), 2);
}

Test(file_keys, large_folders_stay_shuffled)
{
    add_folders(70, 65); /* more files than a sample has, and than a key stands for */
    cr_assert_leq(neighbours(), 4);
}

/* The limits: 33 names that more than 64 files have are roles, 34 are not; 64 files are too few. */
Test(file_keys, roles_are_few_and_frequent)
{
    static const struct {
        unsigned folders, files;
        bool together;
    } known[] = {{65, 33, true}, {65, 34, false}, {64, 33, false}, {65, 1, true}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        uint64_t *keys;
        add_folders(known[i].folders, known[i].files);
        cr_assert_eq(lod_file_keys_make(&list, 0, false, &keys), 0);
        const bool same = keys[0] == keys[known[i].files - 1u];
        const bool other = keys[0] == keys[known[i].files];
        cr_expect_eq(other, !known[i].together, "row %zu", i);
        cr_expect(known[i].files == 1 || same == known[i].together, "row %zu", i);
        lod_source_list_finish(&list);
        free(keys);
    }
}

/* A store of 8,193 images of one name has as many cuts as one with names of their own. */
Test(file_keys, images_of_one_name_fill_many_cuts)
{
    char path[64];

    for (unsigned i = 0; i < 8193; i++) {
        snprintf(path, sizeof(path), "%05u/image.jpg", i);
        add(path, 10 * KIB, &lod_encoder_pcr);
    }
    make();
    check_partition();
    cr_assert_gt(order.cuts, 1100);
    cr_assert_eq(order.records_count, order.cuts);
    for (size_t r = 0; r + 1 < order.records_count; r++) {
        cr_assert_eq(order.records[r].count, 7, "64 KiB are 7 files of 10");
    }
}

/* Neither names nor folders tell samples apart here, so all files have one key. A full record then
 * ends in the middle of the key. */
Test(file_keys, a_key_without_end_is_cut)
{
    char path[64];

    for (unsigned i = 0; i < 8193; i++) {
        snprintf(path, sizeof(path), "%05u/camera/image.jpg", i);
        add(path, 10 * KIB, &lod_encoder_pcr);
    }
    make();
    check_partition();
    cr_assert_eq(order.cuts, (8193 + 11) / 12);
    cr_assert_eq(order.records_count, order.cuts);
}

/* Shards of one table are no files of the source. */
Test(file_keys, added_files_have_the_key_of_their_owner)
{
    uint64_t *keys, *names;

    add("a/x.npy", KIB, &lod_encoder_toc);
    for (unsigned i = 0; i < 100; i++) {
        char path[64];
        snprintf(path, sizeof(path), "a/x.toc/%03u", i);
        add(path, KIB, &lod_encoder_toc);
        list.at[i + 1].added = true;
        list.at[i + 1].owner = 0;
    }
    cr_assert_eq(lod_file_keys_make(&list, 7, false, &keys), 0);
    cr_assert_eq(lod_file_keys_make(&list, 7, true, &names), 0);
    for (unsigned i = 1; i <= 100; i++) {
        cr_assert_eq(keys[i], keys[0]);
    }
    cr_assert_arr_eq(keys, names, 101 * sizeof(keys[0]));
    free(keys);
    free(names);
}
