/* SPDX-License-Identifier: Apache-2.0 */
/* See member_labels.h. */
#include "pack/container/member_labels.h"

#include <string.h>

#include "backend/format.h"
#include "pack/plan/splits.h"

static bool has_label(const struct lod_source_list *list, const int32_t *labels, size_t i)
{
    return list->at[i].role == LOD_SOURCE_FILE && labels[i] >= 0;
}

/* Returns whether all members with labels are in splits. */
static bool has_splits(const struct lod_source_list *list, const int32_t *labels)
{
    struct lod_splits splits = {0};
    int error = 0;

    for (size_t i = 0; !error && !splits.none && i < list->count; i++) {
        error = has_label(list, labels, i) ? lod_splits_add(&splits, list->at[i].path) : 0;
    }
    const bool found = !error && !splits.none && splits.paths.count;
    lod_splits_finish(&splits);
    return found;
}

/* Returns the bytes of a path up to the end of its folder number `depth`; 0 if it has none. */
static size_t folder_bytes(const char *path, unsigned depth)
{
    const char *slash = depth ? strchr(path, '/') : NULL;

    for (; slash && depth > 1; depth--) {
        slash = strchr(slash + 1, '/');
    }
    return slash ? (size_t)(slash - path) : 0;
}

static unsigned depth_of(const char *path)
{
    unsigned depth = path[0] != '\0';

    for (; *path; path++) {
        depth += *path == '/';
    }
    return depth;
}

/* Numbers the folders of one depth, from 0 in each folder above. The list has those of one folder
 * by name. `item` is free from the end of the search for equal files until items are numbered. */
static void number_folders(const struct lod_source_list *list, unsigned depth)
{
    const struct lod_source *before = NULL;

    for (size_t i = 0; i < list->count; i++) {
        struct lod_source *folder = &list->at[i];
        if (folder->role == LOD_SOURCE_FOLDER && depth_of(folder->path) == depth) {
            const size_t above = folder_bytes(folder->path, depth - 1);
            const size_t shared = above ? above + 1 : 0; /* with the slash */
            const bool same = before && strncmp(before->path, folder->path, shared) == 0;
            folder->item = same ? before->item + 1 : 0;
            before = folder;
        }
    }
}

static bool follows(const struct lod_source_list *list, const char *of, int32_t label,
                    unsigned depth)
{
    const size_t bytes = folder_bytes(of, depth);
    char path[LOD_PATH_MAX + 1];

    memcpy(path, of, bytes);
    path[bytes] = '\0';
    const struct lod_source *folder = bytes ? lod_source_list_find(list, path) : NULL;
    return folder && folder->item == (uint32_t)label;
}

bool lod_member_labels_follow(const struct lod_source_list *list, const int32_t *labels)
{
    const unsigned depth = has_splits(list, labels) ? 2 : 1;
    bool all = true;

    number_folders(list, depth);
    for (size_t i = 0; all && i < list->count; i++) {
        all = !has_label(list, labels, i) || follows(list, list->at[i].path, labels[i], depth);
    }
    for (size_t i = 0; i < list->count; i++) {
        list->at[i].item = 0;
    }
    return all;
}
