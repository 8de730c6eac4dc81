/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list in a .tree record: everything that is not stored in items (FORMAT.md, Tree list). First
 * come the manifest's pack options and scan table, then folders, symbolic links, equal files and
 * hard links.
 */
#ifndef LOD_TREE_LIST_H
#define LOD_TREE_LIST_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"

enum lod_tree_kind {
    LOD_TREE_FOLDER = 1,
    LOD_TREE_SYMLINK = 2,
    LOD_TREE_EQUAL = 3,     /* a file with the same bytes as another, whose path is `target` */
    LOD_TREE_HARD_LINK = 4, /* another name of the file `target`, which may be EQUAL itself */
};

struct lod_tree_entry {
    enum lod_tree_kind kind;
    uint16_t mode; /* 0777 */
    int64_t mtime;
    const char *path;   /* "" for the root folder */
    const char *target; /* target of the link or path of the owner; NULL for a folder */
    uint8_t flags;      /* LOD_NODE_VIRTUAL: a folder or hard link that is not in the source */
};

/*
 * Returns whether an entry is valid. Path and target are given with their lengths and need no NUL.
 */
bool lod_tree_entry_valid(const struct lod_tree_entry *entry, size_t path_bytes,
                          size_t target_bytes);

/* Begins the list; `scans` may be NULL. */
LOD_MUST_CHECK int lod_tree_list_begin(struct lod_buf *list, const cJSON *pack, const cJSON *scans);
LOD_MUST_CHECK int lod_tree_list_add(struct lod_buf *list, const struct lod_tree_entry *entry);

struct lod_record;
struct lod_tree_reader;

/*
 * Reads the list of an open tree record, frame by frame. The record is borrowed until destroy.
 * Returns -EINVAL if it is not a tree record, -EBADMSG or -EIO if the beginning of the list cannot
 * be read, -EILSEQ if it is malformed.
 */
LOD_MUST_CHECK int lod_tree_reader_create(struct lod_record *record,
                                          struct lod_tree_reader **ret_reader);
struct lod_tree_reader *lod_tree_reader_destroy(struct lod_tree_reader *reader);

/* Return the manifest's `pack` (an object) and `scans` (NULL: none); borrowed. */
cJSON *lod_tree_reader_pack(const struct lod_tree_reader *reader);
cJSON *lod_tree_reader_scans(const struct lod_tree_reader *reader);

/*
 * Returns the next entry; its strings are valid until the next call. Returns -ENOENT after the last
 * one, -EBADMSG or -EIO if a frame cannot be read, -EILSEQ if the list is malformed. After such an
 * error every later call fails.
 */
LOD_MUST_CHECK int lod_tree_reader_next(struct lod_tree_reader *reader,
                                        struct lod_tree_entry *ret_entry);

#endif
