/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the tree list: entries across the ends of frames, damage, malformed entries. */
#include <errno.h>

#include "record/tree_list.h"
#include "store_fixture.h"

static struct lod_record_desc write_list(struct fixture *f, const struct lod_buf *list)
{
    struct lod_record_slot slot = {.path = ""};
    struct lod_record_writer *writer;
    struct lod_record_desc recd;

    lod_put_le64(slot.row + 8, list->bytes);
    cr_assert_eq(lod_record_writer_create(f->records_fd, "000000.tree", &lod_codec_tree,
                                          LOD_CUT_SMALL, &slot, 1, &writer),
                 0);
    for (size_t at = 0; at < list->bytes; at += 1 << LOD_FRAME_SHIFT_MAX) {
        size_t bytes = list->bytes - at;
        bytes = bytes < 1 << LOD_FRAME_SHIFT_MAX ? bytes : 1 << LOD_FRAME_SHIFT_MAX;
        cr_assert_eq(lod_record_writer_put(writer, 0, 1, at, list->data + at, bytes), 0);
    }
    cr_assert_eq(lod_record_writer_finish(writer, &recd), 0);
    lod_record_writer_destroy(writer);
    return recd;
}

static struct lod_buf begin(const char *pack)
{
    struct lod_buf list = {0};
    cJSON *json = cJSON_Parse(pack), *scans = cJSON_Parse("[1, 2.5]");

    cr_assert_eq(lod_tree_list_begin(&list, json, scans), 0);
    cJSON_Delete(json);
    cJSON_Delete(scans);
    return list;
}

static struct lod_record *open_record(struct fixture *f, struct lod_record_desc *recd)
{
    struct lod_record *record = NULL;

    recd->number = recd->first_item = 0;
    cr_assert_eq(lod_record_open(f->store, recd, &record), 0);
    return record;
}

#define ENTRIES 3000

/* Paths of 1 to 200 bytes, so that entries cross the ends of frames in many ways. */
static struct lod_tree_entry entry_of(unsigned i, char path[LOD_PATH_MAX + 1])
{
    int bytes = snprintf(path, LOD_PATH_MAX + 1, "%06u", i);

    memset(path + bytes, 'x', i % 200);
    path[(size_t)bytes + i % 200] = '\0';
    return (struct lod_tree_entry){.kind = (enum lod_tree_kind)(1 + i % 4),
                                   .mode = (uint16_t)(i & 0777),
                                   .mtime = -(int64_t)i * (1 << 30),
                                   .path = path,
                                   .target = i % 4 ? "some/target" : NULL};
}

static struct lod_buf long_list(void)
{
    struct lod_buf list = begin("{\"order\": \"shuffle\"}");
    char path[LOD_PATH_MAX + 1];

    for (unsigned i = 0; i < ENTRIES; i++) {
        struct lod_tree_entry entry = entry_of(i, path);
        cr_assert_eq(lod_tree_list_add(&list, &entry), 0);
    }
    cr_assert_gt(list.bytes, 4 << LOD_FRAME_SHIFT_MIN);
    return list;
}

Test(tree_read, entries_are_read_as_added)
{
    struct fixture f = fixture_create();
    struct lod_buf list = long_list();
    struct lod_record_desc recd = write_list(&f, &list);
    struct lod_record *record = open_record(&f, &recd);
    struct lod_tree_reader *reader = NULL;
    struct lod_tree_entry got;
    char path[LOD_PATH_MAX + 1];

    cr_assert_eq(lod_tree_reader_create(record, &reader), 0);
    cr_assert_str_eq(
        cJSON_GetObjectItemCaseSensitive(lod_tree_reader_pack(reader), "order")->valuestring,
        "shuffle");
    cr_assert_eq(cJSON_GetArraySize(lod_tree_reader_scans(reader)), 2);
    for (unsigned i = 0; i < ENTRIES; i++) {
        struct lod_tree_entry entry = entry_of(i, path);
        cr_assert_eq(lod_tree_reader_next(reader, &got), 0, "%u", i);
        cr_assert_eq(got.kind, entry.kind);
        cr_assert_eq(got.mode, entry.mode);
        cr_assert_eq(got.mtime, entry.mtime);
        cr_assert_str_eq(got.path, entry.path);
        cr_assert_eq(got.target == NULL, entry.target == NULL);
        cr_assert(!got.target || strcmp(got.target, entry.target) == 0);
    }
    cr_assert_eq(lod_tree_reader_next(reader, &got), -ENOENT);
    cr_assert_eq(lod_tree_reader_next(reader, &got), -ENOENT);
    lod_tree_reader_destroy(reader);
    lod_record_close(record);
    lod_buf_finish(&list);
    fixture_destroy(&f);
}

Test(tree_read, stops_at_a_damaged_frame)
{
    struct fixture f = fixture_create();
    struct lod_buf list = long_list();
    struct lod_record_desc recd = write_list(&f, &list);
    struct lod_tree_reader *reader = NULL;
    struct lod_tree_entry got;
    unsigned count = 0;
    int error;

    fixture_flip(f.records_fd, "000000.tree", recd.file_bytes - 1, 3);
    struct lod_record *record = open_record(&f, &recd);
    cr_assert_eq(lod_tree_reader_create(record, &reader), 0);
    while ((error = lod_tree_reader_next(reader, &got)) == 0) {
        count++;
    }
    cr_assert_eq(error, -EBADMSG);
    cr_assert(count > 0 && count < ENTRIES);
    cr_assert_eq(lod_tree_reader_next(reader, &got), -EBADMSG, "the error stays");
    lod_tree_reader_destroy(reader);
    lod_record_close(record);
    lod_buf_finish(&list);
    fixture_destroy(&f);
}

/* Each list has right hashes and one invalid value. */
Test(tree_read, malformed_lists)
{
    static const struct {
        size_t cut, at; /* bytes removed at the end; changed byte, from the entry's start */
        uint8_t value;
    } cases[] = {
        {1, 0, 1},   {5, 0, 1},         {0, 0, 0},    {0, 0, 5},    {0, 1, 2}, {0, 3, 2},
        {0, 4, 200}, {0, 16 + 1, '\0'}, {0, 16, '/'}, {0, 5, 0x20}, {0, 6, 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f = fixture_create();
        struct lod_buf list = begin("{}");
        struct lod_tree_entry entry = {LOD_TREE_FOLDER, 0755, 0, "folder", NULL, 0}, got;
        struct lod_tree_reader *reader = NULL;
        size_t start = list.bytes;
        cr_assert_eq(lod_tree_list_add(&list, &entry), 0);
        list.data[start + cases[i].at] = cases[i].value;
        list.bytes -= cases[i].cut;
        struct lod_record_desc recd = write_list(&f, &list);
        struct lod_record *record = open_record(&f, &recd);
        cr_assert_eq(lod_tree_reader_create(record, &reader), 0);
        cr_assert_eq(lod_tree_reader_next(reader, &got), -EILSEQ, "case %zu", i);
        lod_tree_reader_destroy(reader);
        lod_record_close(record);
        lod_buf_finish(&list);
        fixture_destroy(&f);
    }
}

Test(tree_read, malformed_heads)
{
    static const char *const heads[] = {"",
                                        "\0\0\0",
                                        "\0\0\0\0\0\0\0\0",
                                        "\2\0\0\0[]\0\0\0\0",
                                        "\2\0\0\0{}",
                                        "\377\377\377\377{}\0\0\0\0",
                                        "\1\0\0\0{}\0\0\0\0"};
    static const size_t bytes[] = {1, 3, 8, 10, 6, 10, 10};

    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        struct fixture f = fixture_create();
        struct lod_buf list = {0};
        struct lod_tree_reader *reader = NULL;
        cr_assert_eq(lod_buf_append(&list, heads[i], bytes[i]), 0);
        struct lod_record_desc recd = write_list(&f, &list);
        struct lod_record *record = open_record(&f, &recd);
        cr_assert_eq(lod_tree_reader_create(record, &reader), -EILSEQ, "case %zu", i);
        lod_record_close(record);
        lod_buf_finish(&list);
        fixture_destroy(&f);
    }
}
