/* SPDX-License-Identifier: Apache-2.0 */
/* See namespace_file.h. */
#include "views/namespace_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Finds the child whose name is the first `bytes` bytes of `name`. */
static int step(struct lod_dataset *dataset, const char *name, size_t bytes,
                struct lod_found *found)
{
    char text[LOD_NAME_MAX + 1];

    if (!S_ISDIR(found->node.mode)) {
        return -ENOTDIR;
    }
    if (bytes > LOD_NAME_MAX) {
        return -ENAMETOOLONG;
    }
    memcpy(text, name, bytes);
    text[bytes] = '\0';
    const struct lod_found folder = *found;
    int error = lod_namespace_lookup(dataset, &folder, text, found);
    return !error || error == -ENOENT ? error
                                      : lod_dataset_node_failed(dataset, folder.node.number, error);
}

int lod_namespace_walk(struct lod_dataset *dataset, const struct lod_found *from, const char *path,
                       struct lod_found *ret_found)
{
    struct lod_found found = *from;
    int error = strlen(path) > LOD_PATH_MAX ? -ENAMETOOLONG : 0;

    for (path += strspn(path, "/"); !error && *path; path += strspn(path, "/")) {
        const size_t bytes = strcspn(path, "/");
        error = step(dataset, path, bytes, &found);
        path += bytes;
    }
    if (!error) {
        *ret_found = found;
    }
    return error;
}

bool lod_namespace_is_live(const struct lod_found *found)
{
    const struct lod_inode *inode = &found->inode;

    return inode->fidelity == LOD_AUTO || (!found->view && inode->node >= LOD_INODE_DOT_LODFS &&
                                           inode->node <= LOD_INODE_FIXED_LAST);
}
