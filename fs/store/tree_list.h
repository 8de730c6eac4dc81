/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list in a .tree record: what no item holds (FORMAT.md, Tree list). First the manifest's pack
 * options and scan table, then folders, symbolic links, equal files, hard links.
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
    LOD_TREE_EQUAL = 3,     /* a file with the bytes of another; target: the owner's path */
    LOD_TREE_HARD_LINK = 4, /* another name of one file; target: its path, an owner or EQUAL */
};

struct lod_tree_entry {
    enum lod_tree_kind kind;
    uint16_t mode; /* 0777 */
    int64_t mtime;
    const char *path;   /* "" for the root folder */
    const char *target; /* symlink's target or owner's path; NULL for a folder */
    uint8_t flags;      /* LOD_NODE_VIRTUAL: a folder or further name that is not in the source */
};

/* May an entry be so? Path and target by their lengths: they need no NUL. */
bool lod_tree_entry_valid(const struct lod_tree_entry *entry, size_t path_bytes,
                          size_t target_bytes);

/* Appends the list's head; `scans` may be NULL. */
LOD_MUST_CHECK int lod_tree_list_begin(struct lod_buf *list, const cJSON *pack, const cJSON *scans);
LOD_MUST_CHECK int lod_tree_list_add(struct lod_buf *list, const struct lod_tree_entry *entry);

struct lod_record;
struct lod_tree_reader;

/*
 * Reads the list of an open tree record, which is borrowed until destroy, frame by frame. -EINVAL:
 * no tree record; -EBADMSG, -EIO: its head cannot be read; -EILSEQ: malformed.
 */
LOD_MUST_CHECK int lod_tree_reader_create(struct lod_record *record,
                                          struct lod_tree_reader **ret_reader);
struct lod_tree_reader *lod_tree_reader_destroy(struct lod_tree_reader *reader);

/* The manifest's `pack` (an object) and `scans` (NULL: none); borrowed. */
cJSON *lod_tree_reader_pack(const struct lod_tree_reader *reader);
cJSON *lod_tree_reader_scans(const struct lod_tree_reader *reader);

/*
 * The next entry; its strings live until the next call. -ENOENT: that was the last one. -EBADMSG,
 * -EIO: a frame cannot be read; -EILSEQ: malformed; every later call fails then.
 */
LOD_MUST_CHECK int lod_tree_reader_next(struct lod_tree_reader *reader,
                                        struct lod_tree_entry *ret_entry);

#endif
