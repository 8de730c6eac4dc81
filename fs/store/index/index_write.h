/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the index of a store from its entries and records: sorts, numbers breadth first, seals
 * blocks (FORMAT.md, Index). Pack uses it for a new store, repair for the records it finds.
 */
#ifndef LOD_INDEX_WRITE_H
#define LOD_INDEX_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "hash.h"
#include "index/index.h"

/* One file, folder or symbolic link of the source. Pointers are borrowed. */
struct lod_entry {
    const char *path;   /* relative, no '/' at its ends; the root folder is "" */
    const char *target; /* symlink: its target, else NULL */
    int64_t mtime;      /* seconds * 2^30 + nanoseconds */
    uint32_t item;      /* file: number of its item */
    uint16_t mode;      /* S_IFMT and 0777 */
    uint8_t flags;      /* LOD_NODE_*; a file with ALIAS shares the item of another entry */
};

/* One record: its RECD fields and its ITEM rows, `items` x LOD_ROW_BYTES, without own nodes. */
struct lod_entry_record {
    struct lod_record_desc recd; /* number and first_item are ignored: set in order */
    const uint8_t *rows;
    const int32_t *labels;  /* of its slots whose rows have HAS_LABEL; NULL: none has */
    struct lod_span magics; /* the lists of magic words of its slots; see magic_list.h */
};

#define LOD_NO_NODE UINT32_MAX /* never a node's number: see LOD_NODES_MAX */

struct lod_index_input {
    const struct lod_entry *entries;        /* in any order; NULL: `entry` makes them */
    size_t entries_count;                   /* one of them is the root folder */
    const struct lod_entry_record *records; /* in record order */
    size_t records_count;
    struct lod_id store_id;
    uint64_t source_bytes;
    const char *file_name; /* in the folder; NULL: "index" */
    bool compare;          /* writes nothing; -ESTALE if the file has other bytes */
    uint64_t seed;         /* of the keys of names: lod_manifest_seed */
    struct lod_entry (*entry)(const void *ctx, uint32_t number); /* called often */
    const void *ctx;
};

static inline struct lod_entry lod_index_entry(const struct lod_index_input *input, uint32_t number)
{
    return input->entry ? input->entry(input->ctx, number) : input->entries[number];
}

/*
 * Writes the index in folder `dir_fd` and calls fsync. Errors, whose entry *ret_bad names:
 *
 * - -EEXIST: two entries have the same path.
 * - -ENOTDIR: the parent of an entry is missing or not a folder.
 * - -EINVAL: a name is empty, "." or "..", or exceeds a limit.
 * - -E2BIG: the index exceeds a limit.
 */
LOD_MUST_CHECK int lod_index_write(int dir_fd, const struct lod_index_input *input,
                                   uint64_t *ret_index_bytes, uint64_t *ret_index_hash,
                                   const char **ret_bad);

#endif
