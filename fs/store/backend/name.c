/* SPDX-License-Identifier: Apache-2.0 */
/* Checks names and paths of nodes; see name.h and FORMAT.md, Names. */
#include "backend/name.h"

#include <string.h>

#include "backend/format.h"

bool lod_name_valid(const char *name, size_t bytes)
{
    if (bytes == 0 || bytes > LOD_NAME_MAX) {
        return false;
    }
    if (name[0] == '.' && (bytes == 1 || (bytes == 2 && name[1] == '.'))) {
        return false;
    }
    return !memchr(name, '/', bytes) && !memchr(name, '\0', bytes);
}

size_t lod_path_depth(const char *path, size_t bytes)
{
    size_t depth = bytes > 0;

    for (size_t i = 0; i < bytes; i++) {
        depth += path[i] == '/';
    }
    return depth;
}

bool lod_path_valid(const char *path, size_t bytes)
{
    if (bytes > LOD_PATH_MAX || lod_path_depth(path, bytes) > LOD_DEPTH_MAX) {
        return false;
    }
    for (size_t at = 0; at < bytes || (bytes && at == bytes);) {
        const char *slash = memchr(path + at, '/', bytes - at);
        size_t end = slash ? (size_t)(slash - path) : bytes;
        if (!lod_name_valid(path + at, end - at)) {
            return false;
        }
        at = end + 1;
    }
    return true;
}
