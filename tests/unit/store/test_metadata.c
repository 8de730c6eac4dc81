/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of a record without an index: header, path entries, identity. */
#include <errno.h>

#include "record/metadata.h"
#include "record/record_header.h"
#include "copy_store.h"
#include "store_fixture.h"

#define SLOTS 5

static const char *const paths[SLOTS] = {"a", "d/b", "d/c", "x\ny", "z"};

static struct lod_record_desc write_record(struct fixture *f)
{
    struct lod_record_slot slots[SLOTS] = {0};
    struct lod_record_writer *writer;
    struct lod_record_desc recd;

    for (uint32_t i = 0; i < SLOTS; i++) {
        lod_put_le64(slots[i].row + 8, i);
        slots[i].path = paths[i];
        slots[i].mode = (uint16_t)(0640 + i);
        slots[i].mtime = -7 - (int64_t)i;
        slots[i].node_flags = i == 2 ? LOD_NODE_APPEND : 0;
    }
    cr_assert_eq(lod_record_writer_create(f->records_fd, "000001.raw", &lod_codec_raw, 3, slots,
                                          SLOTS, &writer),
                 0);
    for (uint32_t i = 1; i < SLOTS; i++) {
        cr_assert_eq(lod_record_writer_put(writer, i, 1, 0, "12345678", i), 0);
    }
    cr_assert_eq(lod_record_writer_finish(writer, &recd), 0);
    lod_record_writer_destroy(writer);
    return recd;
}

Test(metadata, paths_and_identity_survive_a_round_trip)
{
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_record(&f);
    struct lod_metadata metadata;
    struct lod_path_entry entry;
    struct lod_id id;

    cr_assert_eq(lod_metadata_read(f.store, &recd, &metadata), 0);
    for (uint32_t i = 0; i < SLOTS; i++) {
        cr_assert_eq(lod_metadata_path(&metadata, i, &entry), 0);
        cr_assert_eq(entry.path_bytes, strlen(paths[i]));
        cr_assert_eq(memcmp(entry.path, paths[i], entry.path_bytes), 0);
        cr_assert_eq(entry.mode, 0640 + i);
        cr_assert_eq(entry.mtime, -7 - (int64_t)i);
        cr_assert_eq(entry.node_flags, i == 2 ? LOD_NODE_APPEND : 0);
    }
    cr_assert_eq(lod_metadata_identify(&metadata, "000001.raw", &id), 0);
    cr_assert(id.low == recd.id.low && id.high == recd.id.high);
    cr_assert_eq(lod_metadata_identify(&metadata, "000002.raw", &id), 0);
    cr_assert_neq(id.low, recd.id.low, "the name is part of it");
    lod_metadata_finish(&metadata);
    fixture_destroy(&f);
}

Test(metadata, damaged_metadata_is_refused)
{
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_record(&f);
    struct lod_metadata metadata;

    fixture_flip(f.records_fd, "000001.raw", LOD_RECORD_HEADER + recd.metadata_bytes - 1, 0);
    cr_assert_eq(lod_metadata_read(f.store, &recd, &metadata), -EBADMSG);
    fixture_destroy(&f);
}

Test(metadata, a_header_is_read_without_an_index)
{
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_record(&f), own;
    struct lod_record *record = NULL;

    cr_assert_eq(lod_record_header_read(f.store, "000001.raw", &own), 0);
    cr_assert_eq(own.number, 0);
    cr_assert_eq(own.first_item, 0);
    cr_assert(own.header_hash == recd.header_hash && own.metadata_hash == recd.metadata_hash);
    cr_assert(own.id.low == recd.id.low && own.id.high == recd.id.high);
    cr_assert(own.items == SLOTS && own.cut == 3 && own.file_bytes == recd.file_bytes);
    cr_assert_str_eq(own.path, "000001.raw");
    cr_assert_eq(lod_record_open(f.store, &own, &record), 0);
    lod_record_close(record);
    cr_assert_eq(lod_record_header_read(f.store, "000009.raw", &own), -ENOENT);
    fixture_destroy(&f);
}

Test(metadata, a_damaged_header_is_refused)
{
    struct fixture f = fixture_create();
    struct lod_record_desc own;

    write_record(&f);
    for (unsigned at = 0; at < LOD_RECORD_HEADER; at += at < 128 ? 1 : 61) {
        fixture_flip(f.records_fd, "000001.raw", at, at % 8);
        cr_assert_eq(lod_record_header_read(f.store, "000001.raw", &own), -EBADMSG, "%u", at);
        fixture_flip(f.records_fd, "000001.raw", at, at % 8);
    }
    cr_assert_eq(lod_record_header_read(f.store, "000001.raw", &own), 0);
    cr_assert_eq(ftruncate(openat(f.records_fd, "000001.raw", O_RDWR), (off_t)own.file_bytes - 1),
                 0);
    cr_assert_eq(lod_record_header_read(f.store, "000001.raw", &own), -EBADMSG);
    cr_assert_eq(renameat(f.records_fd, "000001.raw", f.records_fd, "000001.pcr"), 0);
    cr_assert_neq(lod_record_header_read(f.store, "000001.pcr", &own), 0);
    fixture_destroy(&f);
}

Test(metadata, a_wrong_copy_is_reported_and_read_again)
{
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_record(&f);
    struct copy_store copy = {.copied = 1 << 20, .wrong = true};
    struct lod_store *store = copy_store_create(&copy, f.folder);
    struct lod_io_buffer buffer = {0};
    struct lod_metadata metadata;
    struct lod_record *record;

    cr_assert_eq(lod_metadata_read(store, &recd, &metadata), 0);
    lod_metadata_finish(&metadata);
    cr_assert_eq(copy.reports, 1);
    cr_assert_eq(copy.bytes, recd.metadata_bytes);
    copy.wrong = true;
    cr_assert_eq(lod_record_open(store, &recd, &record), 0);
    lod_record_close(record);
    cr_assert_eq(copy.reports, 2);
    cr_assert_eq(copy.bytes, LOD_RECORD_HEADER + recd.metadata_bytes, "all that was read of it");
    copy.wrong = true;
    cr_assert_eq(lod_record_open_loaded(store, &recd, &buffer, 4096, NULL, &record), 0);
    lod_record_close(record);
    cr_assert_eq(copy.reports, 3);
    lod_io_buffer_finish(&buffer);
    lod_store_close(store);
    fixture_destroy(&f);
}
