/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list in a .tree record: what no item holds (FORMAT.md, Tree list). First the manifest's pack
 * options and scan table, then folders, symbolic links, equal files, hard links.
 */
#ifndef LOD_TREE_LIST_H
#define LOD_TREE_LIST_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"

enum lod_tree_kind {
    LOD_TREE_FOLDER = 1,
    LOD_TREE_SYMLINK = 2,
    LOD_TREE_EQUAL = 3,     /* a file with the bytes of another; target: the owner's path */
    LOD_TREE_HARD_LINK = 4, /* another name of one file; target: the owner's path */
};

struct lod_tree_entry {
    enum lod_tree_kind kind;
    uint16_t mode; /* 0777 */
    int64_t mtime;
    const char *path;   /* "" for the root folder */
    const char *target; /* symlink's target or owner's path; NULL for a folder */
};

/* Appends the list's head; `scans` may be NULL. */
LOD_MUST_CHECK int lod_tree_list_begin(struct lod_buf *list, const cJSON *pack, const cJSON *scans);
LOD_MUST_CHECK int lod_tree_list_add(struct lod_buf *list, const struct lod_tree_entry *entry);

#endif
