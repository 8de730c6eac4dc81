/* SPDX-License-Identifier: Apache-2.0 */
/* A store in a folder of its own for one test, and ways to damage it. Criterion runs each test in
 * a process of its own. */
#ifndef LOD_STORE_FIXTURE_H
#define LOD_STORE_FIXTURE_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "codec.h"
#include "hash.h"
#include "backend/format.h"
#include "index/index_write.h"
#include "index/manifest.h"
#include "record/record.h"
#include "record/record_write.h"
#include "backend/store.h"

struct fixture {
    char folder[64];
    int dir_fd, records_fd;
    struct lod_store *store;
};

static inline struct fixture fixture_create(void)
{
    struct fixture f = {.folder = P_tmpdir "/lodfs-test-XXXXXX"};
    char records[80];

    cr_assert_not_null(mkdtemp(f.folder));
    snprintf(records, sizeof(records), "%s/records", f.folder);
    cr_assert_eq(mkdir(records, 0755), 0);
    f.dir_fd = open(f.folder, O_RDONLY | O_DIRECTORY);
    f.records_fd = open(records, O_RDONLY | O_DIRECTORY);
    cr_assert(f.dir_fd >= 0 && f.records_fd >= 0);
    cr_assert_eq(lod_store_open(f.folder, &f.store), 0);
    return f;
}

static inline int fixture_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline void fixture_destroy(struct fixture *f)
{
    lod_store_close(f->store);
    close(f->dir_fd);
    close(f->records_fd);
    cr_assert_eq(nftw(f->folder, fixture_remove, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void fixture_flip(int dir_fd, const char *name, uint64_t at, unsigned bit)
{
    int fd = openat(dir_fd, name, O_RDWR);
    uint8_t byte;

    cr_assert_eq(pread(fd, &byte, 1, (off_t)at), 1);
    byte ^= (uint8_t)(1u << bit);
    cr_assert_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
    close(fd);
}

/* Writes metadata with right hashes over it and over the header, like an attacker. */
static inline void fixture_reseal_record(int fd, const uint8_t *metadata,
                                         struct lod_record_desc *recd)
{
    uint8_t header[LOD_RECORD_HEADER];

    recd->metadata_hash = lod_hash64(metadata, recd->metadata_bytes, recd->id.low);
    cr_assert_eq(pread(fd, header, sizeof(header), 0), (ssize_t)sizeof(header));
    lod_put_le64(header + 64, recd->metadata_hash);
    recd->header_hash = lod_hash64(header, sizeof(header) - 8, recd->id.low);
    lod_put_le64(header + sizeof(header) - 8, recd->header_hash);
    cr_assert_eq(pwrite(fd, metadata, recd->metadata_bytes, LOD_RECORD_HEADER),
                 (ssize_t)recd->metadata_bytes);
    cr_assert_eq(pwrite(fd, header, sizeof(header), 0), (ssize_t)sizeof(header));
}

/* One file of a small store. */
struct fixture_file {
    const char *path;
    const char *bytes;
};

/* Writes one record of `count` items whose group 1 is the files' bytes. */
static inline struct lod_record_desc fixture_record(struct fixture *f, const char *name,
                                                    const struct lod_codec *codec,
                                                    const struct fixture_file *files,
                                                    uint32_t count)
{
    struct lod_record_slot *slots = calloc(count, sizeof(*slots));
    struct lod_record_writer *writer;
    struct lod_record_desc recd;

    for (uint32_t i = 0; i < count; i++) {
        slots[i].path = files[i].path;
        slots[i].mode = codec->id == LOD_CODEC_TREE ? 0 : 0644;
        lod_put_le64(slots[i].row + 8, strlen(files[i].bytes));
    }
    cr_assert_eq(
        lod_record_writer_create(f->records_fd, name, codec, LOD_CUT_SMALL, slots, count, &writer),
        0);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(lod_record_writer_put(writer, i, 1, 0, files[i].bytes, strlen(files[i].bytes)),
                     0);
    }
    cr_assert_eq(lod_record_writer_finish(writer, &recd), 0);
    lod_record_writer_destroy(writer);
    free(slots);
    return recd;
}

static inline void fixture_rows(const struct fixture_file *files, uint32_t count, uint8_t *rows)
{
    memset(rows, 0, (size_t)count * LOD_ROW_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        lod_put_le64(rows + (size_t)i * LOD_ROW_BYTES + 8, strlen(files[i].bytes));
    }
}

/* Commits a store of `files` (in the order of their items) under `entries`: a tree record, a raw
 * one. Entries of files carry item numbers from 1; item 0 is the tree list. */
static inline void fixture_commit(struct fixture *f, const struct fixture_file *files,
                                  uint32_t count, const struct fixture_file *list,
                                  struct lod_entry *entries, size_t entries_count)
{
    uint8_t tree_row[LOD_ROW_BYTES], *rows = calloc(count, LOD_ROW_BYTES);
    struct lod_manifest manifest = {.records = 2, .items = count + 1};
    const char *bad;

    fixture_rows(list, 1, tree_row);
    fixture_rows(files, count, rows);
    struct lod_entry_record records[] = {
        {.recd = fixture_record(f, "000000.tree", &lod_codec_tree, list, 1), .rows = tree_row},
        {.recd = fixture_record(f, "000001.raw", &lod_codec_raw, files, count), .rows = rows},
    };
    for (uint32_t i = 0; i < count; i++) {
        manifest.source_bytes += strlen(files[i].bytes);
    }
    cr_assert_eq(lod_store_id(records, 2, &manifest.store_id), 0);
    struct lod_index_input input = {.entries = entries,
                                    .entries_count = entries_count,
                                    .records = records,
                                    .records_count = 2,
                                    .store_id = manifest.store_id,
                                    .source_bytes = manifest.source_bytes};
    cr_assert_eq(
        lod_index_write(f->dir_fd, &input, &manifest.index_bytes, &manifest.index_hash, &bad), 0);
    manifest.pack = cJSON_CreateObject();
    cr_assert_eq(lod_manifest_write(f->dir_fd, &manifest), 0);
    lod_manifest_finish(&manifest);
    free(rows);
}

#endif
