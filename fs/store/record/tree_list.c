/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the list of a .tree record; see tree_list.h and FORMAT.md, Tree list. */
#include "record/tree_list.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "backend/format.h"
#include "backend/name.h"

/* Appends the length (u32) and the text; only the length 0 for no value. */
static int append_json(struct lod_buf *list, const cJSON *json)
{
    char *text = json ? cJSON_PrintUnformatted(json) : NULL;
    size_t bytes = text ? strlen(text) : 0;

    if (json && !text) {
        return -ENOMEM;
    }
    int error = bytes > LOD_MANIFEST_BYTES_MAX ? -E2BIG : lod_buf_append_le(list, 4, bytes);
    error = error ? error : lod_buf_append(list, text, bytes);
    cJSON_free(text);
    return error;
}

int lod_tree_list_begin(struct lod_buf *list, const cJSON *pack, const cJSON *scans)
{
    int error = append_json(list, pack);

    return error ? error : append_json(list, scans);
}

bool lod_tree_entry_valid(const struct lod_tree_entry *entry, size_t path_bytes,
                          size_t target_bytes)
{
    const bool top = !memchr(entry->path, '/', path_bytes);
    const unsigned flags = entry->kind == LOD_TREE_FOLDER
                               ? LOD_NODE_VIRTUAL | (top ? LOD_NODE_SPLIT : 0)
                           : entry->kind == LOD_TREE_EQUAL ? LOD_NODE_VIRTUAL
                                                           : 0;

    if (entry->kind < LOD_TREE_FOLDER || entry->kind > LOD_TREE_HARD_LINK ||
        (entry->flags & ~flags) || (entry->mode & ~0777u) ||
        !lod_path_valid(entry->path, path_bytes) ||
        (path_bytes == 0 && entry->kind != LOD_TREE_FOLDER)) {
        return false;
    }
    switch (entry->kind) {
    case LOD_TREE_FOLDER:
        return target_bytes == 0;
    case LOD_TREE_SYMLINK:
        return target_bytes >= 1 && target_bytes <= LOD_TARGET_MAX;
    default:
        return target_bytes >= 1 && lod_path_valid(entry->target, target_bytes);
    }
}

int lod_tree_list_add(struct lod_buf *list, const struct lod_tree_entry *entry)
{
    size_t path_bytes = strlen(entry->path);
    size_t target_bytes = entry->target ? strlen(entry->target) : 0;
    uint8_t head[16] = {0};

    if (!lod_tree_entry_valid(entry, path_bytes, target_bytes)) {
        return -EINVAL;
    }
    head[0] = (uint8_t)entry->kind;
    head[1] = entry->flags;
    lod_put_le16(head + 2, entry->mode);
    lod_put_le16(head + 4, (uint16_t)path_bytes);
    lod_put_le16(head + 6, (uint16_t)target_bytes);
    lod_put_le64(head + 8, (uint64_t)entry->mtime);
    int error = lod_buf_reserve(list, sizeof(head) + path_bytes + target_bytes);
    error = error ? error : lod_buf_append(list, head, sizeof(head));
    error = error ? error : lod_buf_append(list, entry->path, path_bytes);
    return error ? error : lod_buf_append(list, entry->target, target_bytes);
}
