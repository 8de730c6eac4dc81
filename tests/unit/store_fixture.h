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
#include "store/format.h"
#include "store/index_write.h"
#include "store/manifest.h"
#include "store/record.h"
#include "store/record_write.h"
#include "store/store.h"

struct fixture {
    char folder[64];
    int dir_fd, records_fd;
    struct lod_store *store;
};

static inline struct fixture fixture_create(void)
{
    struct fixture f = {.folder = "/tmp/lodfs-test-XXXXXX"};
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

/* Writes metadata with right hashes over it and over the header, as an attacker could. */
static inline void fixture_reseal_record(int fd, const uint8_t *metadata, struct lod_recd *recd)
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

#endif
