/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order_fixture.h"
#include "backend/format.h"

TestSuite(order, .init = begin, .fini = end);

static void add_photos_with_labels(unsigned count, uint64_t photo_bytes, uint64_t label_bytes)
{
    char path[64];

    for (unsigned i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "images/%05u.jpg", i);
        add(path, photo_bytes, &lod_encoder_pcr);
        snprintf(path, sizeof(path), "masks/%05u.png", i);
        add(path, label_bytes, &lod_encoder_raw);
    }
}

Test(order, two_big_codecs_are_cut_at_the_same_keys)
{
    uint32_t cut_of[500];
    unsigned number;

    add_photos_with_labels(500, 10 * KIB, 2 * KIB);
    make();
    check_partition();
    cr_assert_gt(order.cuts, 50);
    for (size_t r = 0; r < order.records_count; r++) {
        for (uint32_t i = 0; i < order.records[r].count; i++) {
            const struct lod_source *file = file_at(order.records[r].first + i);
            if (order.records[r].codec->id == LOD_CODEC_PCR) {
                cr_assert_eq(sscanf(file->path, "images/%u.jpg", &number), 1);
                cut_of[number] = order.records[r].cut;
            }
        }
    }
    for (size_t r = 0; r < order.records_count; r++) {
        for (uint32_t i = 0; i < order.records[r].count; i++) {
            const struct lod_source *file = file_at(order.records[r].first + i);
            if (order.records[r].codec->id == LOD_CODEC_RAW) {
                cr_assert_eq(sscanf(file->path, "masks/%u.png", &number), 1);
                cr_assert_eq(cut_of[number], order.records[r].cut, "%u lost its mask", number);
            }
        }
    }
}

Test(order, records_have_the_size_asked_for)
{
    add_photos_with_labels(500, 10 * KIB, 0);
    make();
    check_partition();
    for (size_t r = 0; r + 1 < order.records_count; r++) {
        if (order.records[r].codec->id == LOD_CODEC_PCR && order.records[r].cut + 1 < order.cuts) {
            cr_assert_geq(order.records[r].source_bytes, options.record_bytes);
            cr_assert_lt(order.records[r].source_bytes, options.record_bytes + 10 * KIB);
        }
    }
}

Test(order, a_small_codec_has_records_of_its_own_at_the_end)
{
    add_photos_with_labels(500, 10 * KIB, KIB / 4);
    make();
    check_partition();
    const struct lod_order_record *last = &order.records[order.records_count - 1];
    cr_assert_eq(last->codec->id, LOD_CODEC_RAW);
    cr_assert_eq(last->cut, LOD_CUT_SMALL);
    cr_assert_eq(last->count, 500, "125 KiB of labels fit one record of 4 x 64 KiB");
    for (size_t r = 0; r + 1 < order.records_count; r++) {
        cr_assert_eq(order.records[r].codec->id, LOD_CODEC_PCR);
        cr_assert_eq(order.records[r].cut, r);
    }
}

Test(order, records_end_with_a_split)
{
    static char paths[400][2][32];

    for (unsigned i = 0; i < 400; i++) {
        const char *split = i % 3 ? "train" : "Val";
        snprintf(paths[i][0], sizeof(paths[i][0]), "%s/%u.jpg", split, i);
        snprintf(paths[i][1], sizeof(paths[i][1]), "%s/%u.txt", split, i);
        add(paths[i][0], 10 * KIB, &lod_encoder_pcr);
        add(paths[i][1], 100, &lod_encoder_raw);
    }
    add("readme.txt", 100, &lod_encoder_raw);
    make();
    check_partition();
    for (size_t r = 0; r < order.records_count; r++) {
        const struct lod_order_record *record = &order.records[r];
        for (uint32_t i = 1; i < record->count; i++) {
            cr_expect_eq(file_at(record->first)->path[0], file_at(record->first + i)->path[0]);
        }
    }
    cr_assert_eq(file_at(0)->path[0], 'V', "splits in order of their names");
    add("other/1.jpg", 10 * KIB, &lod_encoder_pcr);
    make();
    unsigned mixed = 0;
    for (uint32_t i = 1; i < order.records[0].count; i++) {
        mixed += file_at(0)->path[0] != file_at(i)->path[0];
    }
    cr_assert_gt(mixed, 0, "a picture outside: there are no splits");
}

/* A codec with exactly a twentieth of the bytes is big, with a byte less it is not. */
Test(order, five_percent_is_big)
{
    add("a.jpg", 95000, &lod_encoder_pcr);
    add("b.txt", 5000, &lod_encoder_raw);
    make();
    cr_assert_eq(order.records[1].cut, order.cuts - 1);
    lod_source_list_find(&list, "b.txt")->bytes = 4999;
    make();
    cr_assert_eq(order.records[1].cut, LOD_CUT_SMALL);
}

/* 64 files of one name have one key. A cut ends inside it where its record is full. */
Test(order, inside_a_key_cuts_end_at_twice_the_size)
{
    char path[64];

    for (unsigned i = 0; i < 64; i++) {
        snprintf(path, sizeof(path), "%03u/image.jpg", i);
        add(path, 10 * KIB, &lod_encoder_pcr);
    }
    make();
    check_partition();
    cr_assert_eq(order.cuts, 6);
    cr_assert_eq(order.records_count, 6);
    for (size_t r = 0; r < 5; r++) {
        cr_assert_eq(order.records[r].count, 12, "12 x 10 KiB is what 128 KiB hold");
        cr_assert_eq(order.records[r].cut, r);
    }
}

/* With --order=path keys only decide where a cut may be. */
Test(order, by_path_no_cut_ends_inside_a_key)
{
    char path[64];

    for (unsigned i = 0; i < 100; i++) {
        snprintf(path, sizeof(path), "%03u/image.jpg", i);
        add(path, 10 * KIB, &lod_encoder_pcr);
    }
    options.by_path = true;
    make();
    check_partition();
    cr_assert_eq(order.cuts, 1);
    cr_assert_eq(order.records_count, 9);
}

Test(order, limits_of_items_and_metadata_close_records)
{
    char path[LOD_PATH_MAX + 1];

    for (unsigned i = 0; i < 9000; i++) {
        snprintf(path, sizeof(path), "%05u", i);
        add(path, 0, &lod_encoder_raw);
    }
    make();
    check_partition();
    cr_assert_eq(order.records_count, 2);
    cr_assert_eq(order.records[0].count, LOD_RECORD_ITEMS_MAX);
    lod_source_list_finish(&list);
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(path, sizeof(path), "%0*u", (int)LOD_PATH_MAX, i);
        add(path, 0, &lod_encoder_raw);
    }
    make();
    check_partition();
    cr_assert_gt(order.records_count, 1);
    for (size_t r = 0; r < order.records_count; r++) {
        uint64_t metadata =
            order.records[r].count * lod_record_metadata_bound(&lod_codec_raw, LOD_PATH_MAX, 0);
        cr_assert_leq(metadata, LOD_RECORD_META_MAX);
    }
}

Test(order, a_file_larger_than_a_record_has_one_to_itself)
{
    add("a.jpg", KIB, &lod_encoder_pcr);
    add("large.jpg", 1000 * KIB, &lod_encoder_pcr);
    add("z.jpg", KIB, &lod_encoder_pcr);
    options.by_path = true;
    make();
    check_partition();
    cr_assert_eq(order.records_count, 3);
    cr_assert_eq(order.records[1].count, 1);
}

Test(order, a_seed_determines_the_order)
{
    uint32_t first[100];
    unsigned moved = 0, ascending = 0;

    add_photos_with_labels(50, KIB, 0);
    make();
    memcpy(first, order.files, sizeof(first));
    make();
    cr_assert_arr_eq(first, order.files, sizeof(first), "the same again");
    for (unsigned i = 1; i < 50; i++) {
        ascending += first[i] > first[i - 1];
    }
    cr_assert(ascending > 10 && ascending < 40, "not shuffled: %u", ascending);
    options.seed = 1;
    make();
    for (unsigned i = 0; i < 100; i++) {
        moved += first[i] != order.files[i];
    }
    cr_assert_gt(moved, 50);
}

Test(order, by_path_is_the_order_of_the_paths)
{
    add_photos_with_labels(200, 10 * KIB, 0);
    options.by_path = true;
    make();
    check_partition();
    for (size_t i = 1; i < 200; i++) {
        cr_assert_gt(order.files[i], order.files[i - 1]);
    }
}

Test(order, files_that_share_an_item_take_no_place)
{
    add("a", 1, &lod_encoder_raw);
    add("b", 1, &lod_encoder_raw);
    list.at[1].role = LOD_SOURCE_EQUAL;
    make();
    cr_assert_eq(order.files_count, 1);
}

Test(order, an_empty_source_has_no_records)
{
    make();
    cr_assert_eq(order.records_count, 0);
    cr_assert_eq(order.cuts, 0);
}

Test(order, records_grow_with_the_source_between_limits)
{
    static const struct {
        uint64_t source_mib, record_mib;
    } known[] = {{0, 16}, {255, 16}, {256, 32}, {511, 32}, {512, 64}, {1u << 20, 64}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        cr_assert_eq(lod_order_record_bytes(known[i].source_mib << 20), known[i].record_mib << 20);
    }
    cr_assert_eq(lod_order_record_bytes(UINT64_MAX), 64 << 20);
}
