/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key of a file is that of its stem: its name up to the last dot. Where samples are folders,
 * such as s1/image.jpg and s1/mask.png, stems are roles, which files of all samples share. There
 * the key is that of the folder's name. A stem is taken for a role if
 *
 * - more than LOD_KEY_FILES_MAX files have it,
 * - no more than LOD_KEY_ROLES_MAX stems are that frequent: if there are more, the stems number the
 *   files of folders, such as 001.jpg, and a folder is a class, whose files must not be neighbours,
 * - and the folder's name stands for LOD_KEY_FILES_MAX files at most.
 */
#include "pack/plan/file_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "list.h"
#include "sample/part.h"

struct hashes {
    uint64_t *at; /* sorted */
    size_t count;
};

static uint64_t stem_key(const char *path, uint64_t seed)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    return lod_name_key(name, strlen(name), seed);
}

/* Returns false for a file in the root, whose folder has no name. */
static bool folder_key(const char *path, uint64_t seed, uint64_t *ret_key)
{
    const char *end = strrchr(path, '/');
    const char *start = end ? memrchr(path, '/', (size_t)(end - path)) : NULL;

    start = start ? start + 1 : path;
    *ret_key = end ? lod_hash64(start, (size_t)(end - start), seed) : 0;
    return end;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Returns the first place whose hash is not below `hash`. */
static size_t place_of(const struct hashes *hashes, uint64_t hash)
{
    size_t low = 0;

    LOD_SEARCH(low, hashes->count, hashes->at[middle] < hash);
    return low;
}

static bool is_frequent(const struct hashes *hashes, uint64_t hash)
{
    const size_t place = place_of(hashes, hash) + LOD_KEY_FILES_MAX;

    return place < hashes->count && hashes->at[place] == hash;
}

/* Returns whether some stems are frequent, and few enough to be roles. */
static bool has_roles(const struct hashes *stems)
{
    unsigned roles = 0;

    for (size_t i = 0, next; i < stems->count && roles <= LOD_KEY_ROLES_MAX; i = next) {
        const bool last = stems->at[i] == UINT64_MAX;
        next = last ? stems->count : place_of(stems, stems->at[i] + 1);
        roles += next - i > LOD_KEY_FILES_MAX;
    }
    return roles && roles <= LOD_KEY_ROLES_MAX;
}

static const char *path_of(const struct lod_source_list *list, size_t i)
{
    return list->at[list->at[i].added ? list->at[i].owner : i].path;
}

static void take_names(const struct lod_source_list *list, uint64_t seed, uint64_t *keys)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].role == LOD_SOURCE_FILE) {
            keys[i] = stem_key(path_of(list, i), seed);
        }
    }
}

/* Collects the hashes of stems or folders of the source's own files. */
static void collect(const struct lod_source_list *list, uint64_t seed, bool folders,
                    struct hashes *hashes)
{
    hashes->count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct lod_source *file = &list->at[i];
        uint64_t hash = 0;
        if (file->role != LOD_SOURCE_FILE || file->added) {
            continue;
        }
        if (!folders || folder_key(file->path, seed, &hash)) {
            hashes->at[hashes->count++] = folders ? hash : stem_key(file->path, seed);
        }
    }
    qsort(hashes->at, hashes->count, sizeof(hashes->at[0]), by_value);
}

static void take_folders(const struct lod_source_list *list, uint64_t seed,
                         const struct hashes *stems, const struct hashes *folders, uint64_t *keys)
{
    for (size_t i = 0; i < list->count; i++) {
        uint64_t folder;
        if (list->at[i].role == LOD_SOURCE_FILE && is_frequent(stems, keys[i]) &&
            folder_key(path_of(list, i), seed, &folder) && !is_frequent(folders, folder)) {
            keys[i] = folder;
        }
    }
}

/* Replaces keys of names by those of folders, where folders are samples. */
static int find_folders(const struct lod_source_list *list, uint64_t seed, uint64_t *keys)
{
    struct hashes stems = {.at = malloc((list->count + 1) * sizeof(uint64_t))};
    struct hashes folders = {0};
    int error = stems.at ? 0 : -ENOMEM;

    if (!error) {
        collect(list, seed, false, &stems);
    }
    if (!error && has_roles(&stems)) {
        folders.at = malloc((list->count + 1) * sizeof(uint64_t));
        error = folders.at ? 0 : -ENOMEM;
        if (!error) {
            collect(list, seed, true, &folders);
            take_folders(list, seed, &stems, &folders, keys);
        }
    }
    free(stems.at);
    free(folders.at);
    return error;
}

int lod_file_keys_make(const struct lod_source_list *list, uint64_t seed, bool names_only,
                       uint64_t **ret_keys)
{
    uint64_t *keys = malloc((list->count + 1) * sizeof(keys[0]));
    int error = keys ? 0 : -ENOMEM;

    if (!error) {
        take_names(list, seed, keys);
        error = names_only ? 0 : find_folders(list, seed, keys);
    }
    if (error) {
        free(keys);
        return error;
    }
    *ret_keys = keys;
    return 0;
}
