/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing the index of a store from its entries and records: sorting, numbering breadth first,
 * sealing blocks (FORMAT.md, Index). Pack calls it with what it wrote, repair with what it found.
 */
#ifndef LOD_INDEX_WRITE_H
#define LOD_INDEX_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "hash.h"
#include "store/index.h"

/* One file, folder or symbolic link of the source. Pointers are borrowed. */
struct lod_entry {
    const char *path;   /* relative, no leading or trailing '/'; the root folder is "" */
    const char *target; /* symlink: its target, else NULL */
    int64_t mtime;      /* seconds * 2^30 + nanoseconds */
    uint32_t item;      /* file: number of its item */
    uint16_t mode;      /* S_IFMT and 0777 */
    uint8_t flags;      /* LOD_NODE_*; a file with ALIAS shares the item of another entry */
};

/* One record: its RECD fields and the ITEM rows, `items` x LOD_ROW_BYTES, own nodes not set. */
struct lod_entry_record {
    struct lod_recd recd; /* number and first_item are ignored: set in order */
    const uint8_t *rows;
};

struct lod_index_input {
    struct lod_entry *entries; /* reordered by the call; one must be the root folder */
    size_t entries_count;
    const struct lod_entry_record *records; /* in record order */
    size_t records_count;
    struct lod_id store_id;
    uint64_t source_bytes;
    const char *file_name; /* in the folder; NULL: "index" */
    bool compare; /* nothing is written: does the file have these very bytes? -ESTALE: it has not */
};

/*
 * Writes the index in folder `dir_fd` and fsyncs it. -EEXIST: two entries of one path (*ret_bad
 * names it); -ENOTDIR: an entry whose parent is missing or no folder; -EINVAL: a name that is
 * empty,
 * "." or "..", or a limit passed; -E2BIG. *ret_bad is set on those errors.
 */
LOD_MUST_CHECK int lod_index_write(int dir_fd, const struct lod_index_input *input,
                                   uint64_t *ret_index_bytes, uint64_t *ret_index_hash,
                                   const char **ret_bad);

#endif
