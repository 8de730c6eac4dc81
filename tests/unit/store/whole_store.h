/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small store with one of every kind: folders (one empty), a symbolic link, raw files (empty,
 * short, of several frames), photographs, one item stored whole, an equal file and a hard link. The
 * photographs have rows, but invented bytes in their groups, which no test decodes.
 */
#ifndef LOD_WHOLE_STORE_H
#define LOD_WHOLE_STORE_H

#include "index/blocks.h"
#include "record/record_header.h"
#include "record/tree_list.h"
#include "store_fixture.h"

#define WHOLE_MTIME(n) (((int64_t)1700000000 + (n)) << 30 | (n))

/* Flags of photographs. verify decodes pixels, so its tests use rows without pixels. */
#ifndef WHOLE_FLAGS
#define WHOLE_FLAGS LOD_ITEM_NO_ORIGINAL
#endif

/* Files in storage order. The bytes of a group are computed from item and group. */
struct whole_file {
    const char *path;
    const struct lod_codec *codec;
    uint32_t bytes; /* raw, whole */
    bool whole;
};

static const struct whole_file whole_files[] = {
    {"", &lod_codec_tree, 0, false},
    {"d/big.bin", &lod_codec_raw, 200000, false},
    {"a.txt", &lod_codec_raw, 6, false},
    {"nothing", &lod_codec_raw, 0, false},
    {"d/p.jpg", &lod_codec_pcr, 0, false},
    {"d/e/q\n.jpg", &lod_codec_pcr, 0, false},
    {"d/whole.jpg", &lod_codec_pcr, 1234, true},
};
#define WHOLE_FILES              (sizeof(whole_files) / sizeof(whole_files[0]))
#define WHOLE_GROUP(item, group) (500u + 37 * (item) + 11 * (group))

static const struct lod_tree_entry whole_list[] = {
    {LOD_TREE_FOLDER, 0755, WHOLE_MTIME(1), "", NULL, 0},
    {LOD_TREE_FOLDER, 0750, WHOLE_MTIME(2), "d", NULL, 0},
    {LOD_TREE_FOLDER, 0555, WHOLE_MTIME(3), "d/e", NULL, 0},
    {LOD_TREE_FOLDER, 0700, WHOLE_MTIME(4), "empty", NULL, 0},
    {LOD_TREE_SYMLINK, 0777, WHOLE_MTIME(5), "d/link", "../a.txt", 0},
    {LOD_TREE_EQUAL, 0604, WHOLE_MTIME(6), "copy.txt", "a.txt", 0},
    {LOD_TREE_HARD_LINK, 0604, WHOLE_MTIME(6), "d/hard.copy", "copy.txt", 0},
    {LOD_TREE_HARD_LINK, 0644, WHOLE_MTIME(14), "d/hard.jpg", "d/p.jpg", 0},
};
#define WHOLE_LIST (sizeof(whole_list) / sizeof(whole_list[0]))

static inline void whole_bytes(uint32_t item, unsigned group, uint8_t *into, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        into[i] = (uint8_t)((i * 2654435761u >> 11) + item * 17 + group * 5);
    }
}

static inline void whole_row(uint32_t item, uint8_t row[LOD_ROW_BYTES])
{
    const struct whole_file *file = &whole_files[item];

    memset(row, 0, LOD_ROW_BYTES);
    if (file->codec != &lod_codec_pcr) {
        lod_put_le64(row + 8, file->bytes);
        return;
    }
    if (file->whole) {
        row[0] = LOD_ITEM_WHOLE;
        lod_put_le32(row + 12, file->bytes);
        lod_put_le32(row + 60, file->bytes);
        return;
    }
    row[0] = WHOLE_FLAGS;
    row[1] = 3;
    lod_put_le16(row + 2, 20); /* offset of the APP segments */
    lod_put_le16(row + 8, 640);
    lod_put_le16(row + 10, 480);
    lod_put_le32(row + 12, 9999);
    for (unsigned group = 1; group <= 11; group++) {
        lod_put_le32(row + 12 + 4 * group, WHOLE_GROUP(item, group));
    }
}

static inline void whole_put(struct lod_record_writer *writer, uint32_t slot, uint32_t item,
                             const struct lod_span *list)
{
    uint64_t bytes[LOD_GROUPS_MAX];
    uint8_t row[LOD_ROW_BYTES];

    whole_row(item, row);
    if (list) {
        lod_put_le64(row + 8, list->bytes);
    }
    cr_assert_eq(lod_codec_segments(whole_files[item].codec, row, bytes), 0);
    for (unsigned group = 1; group <= LOD_GROUPS_MAX; group++) {
        uint8_t *data = malloc(bytes[group - 1] + 1);
        whole_bytes(item, group, data, bytes[group - 1]);
        cr_assert(bytes[group - 1] == 0 ||
                  lod_record_writer_put(writer, slot, group, 0, list ? list->at : data,
                                        bytes[group - 1]) == 0);
        free(data);
    }
}

/* Writes items [first, first + count) as one record. */
static inline struct lod_record_desc whole_record(struct fixture *f, const char *name,
                                                  uint32_t first, uint32_t count,
                                                  const struct lod_span *list, uint8_t *rows)
{
    struct lod_record_slot slots[WHOLE_FILES] = {0};
    struct lod_record_writer *writer;
    struct lod_record_desc recd;

    for (uint32_t i = 0; i < count; i++) {
        whole_row(first + i, slots[i].row);
        slots[i].path = whole_files[first + i].path;
        if (list) {
            lod_put_le64(slots[i].row + 8, list->bytes);
        } else {
            slots[i].mode = 0644;
            slots[i].mtime = WHOLE_MTIME(10 + first + i);
        }
        memcpy(rows + (size_t)i * LOD_ROW_BYTES, slots[i].row, LOD_ROW_BYTES);
    }
    cr_assert_eq(lod_record_writer_create(f->records_fd, name, whole_files[first].codec,
                                          LOD_CUT_SMALL, slots, count, &writer),
                 0);
    for (uint32_t i = 0; i < count; i++) {
        whole_put(writer, i, first + i, list);
    }
    cr_assert_eq(lod_record_writer_finish(writer, &recd), 0);
    lod_record_writer_destroy(writer);
    return recd;
}

static inline uint32_t whole_item(const char *path)
{
    uint32_t item = 1;

    path = strcmp(path, "copy.txt") == 0 ? "a.txt" : path;
    while (strcmp(whole_files[item].path, path) != 0) {
        item++;
    }
    return item;
}

static inline size_t whole_entries(struct lod_entry *entries)
{
    size_t count = 0;

    for (size_t i = 0; i < WHOLE_LIST; i++) {
        const struct lod_tree_entry *from = &whole_list[i];
        bool alias = from->kind >= LOD_TREE_EQUAL;
        mode_t kind = alias ? S_IFREG : from->kind == LOD_TREE_SYMLINK ? S_IFLNK : S_IFDIR;
        entries[count++] = (struct lod_entry){
            .path = from->path,
            .target = from->kind == LOD_TREE_SYMLINK ? from->target : NULL,
            .mtime = from->mtime,
            .item = alias ? whole_item(from->target) : 0,
            .mode = (uint16_t)(kind | from->mode),
            .flags = alias ? LOD_NODE_ALIAS : 0,
        };
    }
    for (uint32_t item = 1; item < WHOLE_FILES; item++) {
        entries[count++] = (struct lod_entry){.path = whole_files[item].path,
                                              .mtime = WHOLE_MTIME(10 + item),
                                              .item = item,
                                              .mode = S_IFREG | 0644};
    }
    return count;
}

static inline void whole_store_write(struct fixture *f)
{
    struct lod_manifest manifest = {.records = 3, .items = WHOLE_FILES};
    struct lod_entry entries[WHOLE_LIST + WHOLE_FILES];
    struct lod_entry_record records[3];
    uint8_t rows[WHOLE_FILES][LOD_ROW_BYTES];
    struct lod_buf list = {0};
    const char *bad;

    manifest.pack = cJSON_Parse("{\"order\": \"path\", \"seed\": 0, \"n\": [0.1, 12345678901234]}");
    manifest.scans = cJSON_Parse("{\"classes\": []}");
    cr_assert_eq(lod_tree_list_begin(&list, manifest.pack, manifest.scans), 0);
    for (size_t i = 0; i < WHOLE_LIST; i++) {
        cr_assert_eq(lod_tree_list_add(&list, &whole_list[i]), 0);
    }
    struct lod_span span = lod_buf_span(&list);
    records[0].recd = whole_record(f, "000000.tree", 0, 1, &span, rows[0]);
    records[1].recd = whole_record(f, "000001.raw", 1, 3, NULL, rows[1]);
    records[2].recd = whole_record(f, "000002.pcr", 4, 3, NULL, rows[4]);
    for (unsigned i = 0; i < 3; i++) {
        static const unsigned first[] = {0, 1, 4};
        records[i].rows = rows[first[i]];
    }
    for (uint32_t item = 1; item < WHOLE_FILES; item++) {
        manifest.source_bytes += whole_files[item].codec->source_bytes(rows[item]);
    }
    struct lod_index_input input = {.entries = entries,
                                    .entries_count = whole_entries(entries),
                                    .records = records,
                                    .records_count = 3,
                                    .source_bytes = manifest.source_bytes};
    cr_assert_eq(lod_store_id(records, 3, &input.store_id), 0);
    manifest.store_id = input.store_id;
    cr_assert_eq(
        lod_index_write(f->dir_fd, &input, &manifest.index_bytes, &manifest.index_hash, &bad), 0);
    cr_assert_eq(lod_manifest_write(f->dir_fd, &manifest), 0);
    lod_manifest_finish(&manifest);
    lod_buf_finish(&list);
}

static const char *const whole_store_files[] = {"manifest.json", "index", "records/000000.tree",
                                                "records/000001.raw", "records/000002.pcr"};
#define WHOLE_STORE_FILES (sizeof(whole_store_files) / sizeof(whole_store_files[0]))

/* Reads a whole file of the store, for free(). */
static inline uint8_t *whole_read(struct fixture *f, const char *name, size_t *ret_bytes)
{
    int fd = openat(f->dir_fd, name, O_RDONLY);
    struct stat st;

    cr_assert(fd >= 0 && fstat(fd, &st) == 0, "%s", name);
    uint8_t *bytes = malloc((size_t)st.st_size + 1);
    cr_assert_eq(pread(fd, bytes, (size_t)st.st_size, 0), st.st_size);
    close(fd);
    *ret_bytes = (size_t)st.st_size;
    return bytes;
}

static inline void whole_write(struct fixture *f, const char *name, const uint8_t *bytes,
                               size_t count)
{
    int fd = openat(f->dir_fd, name, O_RDWR | O_CREAT | O_TRUNC, 0644);

    cr_assert_eq(pwrite(fd, bytes, count, 0), (ssize_t)count);
    close(fd);
}

/* Overwrites bytes in the single index block of a section, and corrects its hash. */
static inline void whole_patch(struct fixture *f, unsigned section, size_t at, const void *bytes,
                               size_t count)
{
    static const char *const names[] = {"000000.tree", "000001.raw", "000002.pcr"};
    const off_t offset = (off_t)section * LOD_SECTION_ALIGN;
    uint8_t block[LOD_BLOCK_BYTES];
    struct lod_buf ids = {0};
    struct lod_record_desc recd;
    int fd = openat(f->dir_fd, "index", O_RDWR);

    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(lod_record_header_read(f->store, names[i], &recd), 0);
        cr_assert_eq(lod_buf_append_le(&ids, 8, recd.id.low), 0);
        cr_assert_eq(lod_buf_append_le(&ids, 8, recd.id.high), 0);
    }
    cr_assert_eq(pread(fd, block, sizeof(block), offset), (ssize_t)sizeof(block));
    memcpy(block + at, bytes, count);
    lod_block_seal(block, lod_hash128(ids.data, ids.bytes).low, section, 0);
    cr_assert_eq(pwrite(fd, block, sizeof(block), offset), (ssize_t)sizeof(block));
    lod_buf_finish(&ids);
    close(fd);
}

#endif
