/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest store with a file in it, byte for byte as in FORMAT.md ("The smallest store"):
 * folder "" and file "a" with 6 bytes. It is written by the store's writers. If this test changes,
 * the format has changed.
 */
#include <criterion/criterion.h>

#include "record/tree_list.h"
#include "store_fixture.h"

#define MTIME ((int64_t)1700000000 << 30)

static struct lod_record_desc write_record(struct fixture *f, const char *name,
                                           const struct lod_codec *codec, const char *path,
                                           struct lod_span bytes, uint8_t row[LOD_ROW_BYTES])
{
    struct lod_record_slot slot = {.path = path};
    struct lod_record_writer *writer;
    struct lod_record_desc recd;

    lod_put_le64(slot.row + 8, bytes.bytes);
    memcpy(row, slot.row, LOD_ROW_BYTES);
    if (*path) {
        slot.mode = 0644;
        slot.mtime = MTIME;
    }
    cr_assert_eq(
        lod_record_writer_create(f->records_fd, name, codec, LOD_CUT_SMALL, &slot, 1, &writer), 0);
    cr_assert_eq(lod_record_writer_put(writer, 0, 1, 0, bytes.at, bytes.bytes), 0);
    cr_assert_eq(lod_record_writer_finish(writer, &recd), 0);
    lod_record_writer_destroy(writer);
    return recd;
}

static void write_store(struct fixture *f)
{
    const struct lod_tree_entry root = {LOD_TREE_FOLDER, 0755, MTIME, "", NULL, 0};
    struct lod_entry entries[] = {
        {.path = "", .mode = S_IFDIR | 0755, .mtime = MTIME},
        {.path = "a", .mode = S_IFREG | 0644, .mtime = MTIME, .item = 1},
    };
    struct lod_manifest manifest = {
        .records = 2, .items = 2, .source_bytes = 6, .pack = cJSON_CreateObject()};
    struct lod_buf list = {0};
    uint8_t rows[2][LOD_ROW_BYTES];
    const char *bad;

    cr_assert_eq(lod_tree_list_begin(&list, manifest.pack, NULL), 0);
    cr_assert_eq(lod_tree_list_add(&list, &root), 0);
    struct lod_entry_record records[] = {
        {write_record(f, "000000.tree", &lod_codec_tree, "", lod_buf_span(&list), rows[0]),
         rows[0],
         NULL,
         {0}},
        {write_record(f, "000001.raw", &lod_codec_raw, "a",
                      (struct lod_span){(const uint8_t *)"hello\n", 6}, rows[1]),
         rows[1],
         NULL,
         {0}},
    };
    cr_assert_eq(lod_store_id(records, 2, &manifest.store_id), 0);
    struct lod_index_input input = {.entries = entries,
                                    .entries_count = 2,
                                    .records = records,
                                    .records_count = 2,
                                    .store_id = manifest.store_id,
                                    .source_bytes = 6};
    cr_assert_eq(
        lod_index_write(f->dir_fd, &input, &manifest.index_bytes, &manifest.index_hash, &bad), 0);
    cr_assert_eq(lod_manifest_write(f->dir_fd, &manifest), 0);
    lod_manifest_finish(&manifest);
    lod_buf_finish(&list);
}

/* The file's size and XXH3-64, seed 0. */
static void check_file(struct fixture *f, const char *name, size_t bytes, uint64_t hash)
{
    uint8_t *data = malloc(1 << 20);
    int fd = openat(f->dir_fd, name, O_RDONLY);
    ssize_t got = read(fd, data, 1 << 20);

    close(fd);
    cr_expect_eq(got, (ssize_t)bytes, "%s: %zd bytes", name, got);
    cr_expect_eq(lod_hash64(data, (size_t)got, 0), hash, "%s: %016llx", name,
                 (unsigned long long)lod_hash64(data, (size_t)got, 0));
    free(data);
}

Test(format, the_smallest_store)
{
    struct fixture f = fixture_create();

    write_store(&f);
    check_file(&f, "records/000000.tree", 4214, 0x528bc62284227c40);
    check_file(&f, "records/000001.raw", 4195, 0x2d7ab89c6905397b);
    check_file(&f, "index", 331776, 0x3ad32fefc87ab17c);
    check_file(&f, "manifest.json", 236, 0x8b9691b87c143056);
    fixture_destroy(&f);
}
