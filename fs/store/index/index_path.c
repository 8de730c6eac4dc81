/* SPDX-License-Identifier: Apache-2.0 */
/* Paths in the index: from a node up to the root, and from the root down to a node. */
#include "index/index.h"

#include <errno.h>
#include <string.h>

/* Prepends the names from the node up to the root at the end of `text`. */
static int climb(struct lod_index *index, struct lod_node node, char text[LOD_PATH_MAX + 1],
                 size_t *ret_start)
{
    char name[LOD_NAME_MAX + 1];
    size_t start = LOD_PATH_MAX;

    text[start] = '\0';
    for (unsigned depth = 0; node.number != 0; depth++) {
        size_t slash = start < LOD_PATH_MAX;
        int error = lod_index_name(index, &node, name);
        if (error) {
            return error;
        }
        if (depth == LOD_DEPTH_MAX || node.name_bytes + slash > start) {
            return -EILSEQ;
        }
        if (slash) {
            text[--start] = '/';
        }
        start -= node.name_bytes;
        memcpy(text + start, name, node.name_bytes);
        error = lod_index_node(index, node.parent, &node);
        if (error) {
            return error;
        }
    }
    *ret_start = start;
    return 0;
}

int lod_index_path(struct lod_index *index, const struct lod_node *node,
                   char path[LOD_PATH_MAX + 1])
{
    char text[LOD_PATH_MAX + 1];
    size_t start;

    int error = climb(index, *node, text, &start);
    if (!error) {
        memcpy(path, text + start, LOD_PATH_MAX + 1 - start);
    }
    return error;
}

int lod_index_node_path(struct lod_index *index, uint32_t number, char path[LOD_PATH_MAX + 1])
{
    struct lod_node node;
    int error = lod_index_node(index, number, &node);

    return error ? error : lod_index_path(index, &node, path);
}

int lod_index_walk(struct lod_index *index, const char *path, struct lod_node *ret_node)
{
    int error = strlen(path) > LOD_PATH_MAX ? -ENAMETOOLONG : lod_index_node(index, 0, ret_node);

    for (path += strspn(path, "/"); !error && *path; path += strspn(path, "/")) {
        size_t bytes = strcspn(path, "/");
        error = bytes > LOD_NAME_MAX ? -ENAMETOOLONG
                                     : lod_index_lookup(index, ret_node, path, bytes, ret_node);
        path += bytes;
    }
    return error;
}
