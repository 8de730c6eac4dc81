/* SPDX-License-Identifier: Apache-2.0 */
/* See subdir.h. */
#include "fuse/subdir.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "log.h"
#include "views/namespace_file.h"

static bool is_missing(int error)
{
    return error == -ENOENT || error == -ENOTDIR || error == -ENAMETOOLONG;
}

int lod_subdir_find(struct lod_dataset *dataset, const char *path, uint64_t *ret_root)
{
    struct lod_found found;
    int error = lod_namespace_find(dataset, LOD_INODE_ROOT, &found);

    error = error || !path ? error : lod_namespace_walk(dataset, &found, path, &found);
    if (error && !is_missing(error)) {
        return error;
    }
    if (error || !S_ISDIR(found.node.mode) || lod_namespace_is_live(&found)) {
        lod_log(LOD_LOG_ERROR,
                "-o subdir=%pE: no folder of the mount; give a fidelity and a folder of the "
                "source, as in q5/train (links are not followed)",
                path);
        return -EINVAL;
    }
    *ret_root = lod_inode_pack(found.inode);
    return 0;
}

static bool is_root(const struct lod_ops *ops, const struct lod_found *found)
{
    return lod_inode_pack(found->inode) == ops->root;
}

uint64_t lod_subdir_number(const struct lod_ops *ops, fuse_ino_t number)
{
    return number == LOD_INODE_ROOT ? ops->root : number;
}

int lod_subdir_resolve(const struct lod_ops *ops, fuse_ino_t number, struct lod_found *ret_found)
{
    return lod_namespace_find(ops->dataset, lod_subdir_number(ops, number), ret_found);
}

int lod_subdir_lookup(const struct lod_ops *ops, const struct lod_found *folder, const char *name,
                      struct lod_found *ret_found)
{
    int error = lod_namespace_lookup(ops->dataset, folder, name, ret_found);

    if (error == -ENOENT && is_root(ops, folder) && strcmp(name, ".lodfs") == 0) {
        return lod_namespace_find(ops->dataset, LOD_INODE_DOT_LODFS, ret_found);
    }
    return error;
}

int lod_subdir_up(const struct lod_ops *ops, const struct lod_found *found,
                  struct lod_found *ret_found)
{
    if (is_root(ops, found)) {
        *ret_found = *found;
        return 0;
    }
    int error = lod_namespace_up(ops->dataset, found, ret_found);
    return error || lod_inode_pack(ret_found->inode) != LOD_INODE_ROOT
               ? error /* the parent is .lodfs, or it is not the whole mount's root */
               : lod_subdir_resolve(ops, LOD_INODE_ROOT, ret_found);
}
