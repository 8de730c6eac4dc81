/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers that callbacks share: attributes for stat(2), directory entries and errors.
 * Attributes are computed from an inode number and rows of the index. No record is read, except for
 * framed files in parts of the store.
 */
#include "fuse/ops.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "backend/mtime.h"
#include "fuse/subdir.h"

#define SECTOR_BYTES 512 /* of st_blocks, on every Linux file system */
#define READ_HINT                                                                                  \
    65536 /* st_blksize: with it, buffered readers need one read for a small photograph */

static int size_of(const struct lod_ops *ops, const struct lod_found *found, off_t *ret_size)
{
    struct lod_contents contents;

    if (!found->view) {
        *ret_size = (off_t)lod_control_file_bytes(ops->files, found->inode.node);
        return 0;
    }
    if (found->inode.fidelity == LOD_AUTO) {
        *ret_size = LOD_AUTO_BYTES;
        return 0;
    }
    int error = lod_shown_contents(ops->dataset, ops->shards, found, &contents);
    if (!error) {
        *ret_size = (off_t)contents.bytes;
    }
    return error;
}

static bool is_control_file(const struct lod_found *found)
{
    return !found->view && S_ISREG(found->node.mode);
}

/* Returns whether the contents change; those of `config` do not. */
static bool is_live(const struct lod_found *found)
{
    return is_control_file(found) && found->inode.node != LOD_INODE_CONFIG;
}

double lod_ops_attr_timeout(const struct lod_found *found)
{
    return is_live(found) ? 0 : LOD_TIMEOUT_S;
}

/* Sets the attributes of a file of .lodfs. A new mtime makes the kernel drop its pages. -o uid=
 * does not change the owner of these files. */
static void show_control(const struct lod_ops *ops, const struct lod_found *found,
                         struct stat *attr)
{
    attr->st_uid = ops->control->facts.mounter;
    if (is_live(found)) {
        clock_gettime(CLOCK_REALTIME, &attr->st_mtim);
        attr->st_ctim = attr->st_mtim;
    }
}

int lod_ops_attr(const struct lod_ops *ops, const struct lod_found *found, struct stat *ret_attr)
{
    off_t size = 0;
    int error = size_of(ops, found, &size);

    if (error) {
        return error;
    }
    mode_t mask = S_ISDIR(found->node.mode)   ? ops->folder_mask
                  : S_ISREG(found->node.mode) ? ops->file_mask
                                              : 0;
    const struct timespec mtime = lod_mtime_time(found->node.mtime);
    *ret_attr = (struct stat){
        .st_ino = lod_inode_pack(found->inode),
        .st_mode = found->node.mode & ~mask & (S_IFMT | 0777),
        .st_nlink = 1,
        .st_uid = ops->uid,
        .st_gid = ops->gid,
        .st_size = size,
        .st_blocks = (size + SECTOR_BYTES - 1) / SECTOR_BYTES,
        .st_blksize = READ_HINT,
        .st_atim = mtime,
        .st_mtim = mtime,
        .st_ctim = mtime,
    };
    if (is_control_file(found)) {
        show_control(ops, found, ret_attr);
    }
    return 0;
}

int lod_ops_entry(const struct lod_ops *ops, const struct lod_found *found,
                  struct fuse_entry_param *ret_entry)
{
    struct fuse_entry_param entry = {
        .attr_timeout = lod_ops_attr_timeout(found),
        .entry_timeout = LOD_TIMEOUT_S,
    };
    int error = lod_ops_attr(ops, found, &entry.attr);

    if (!error) {
        entry.ino = entry.attr.st_ino;
        *ret_entry = entry;
    }
    return error;
}

void lod_ops_fail(fuse_req_t req, fuse_ino_t number, int error)
{
    const struct lod_ops *ops = fuse_req_userdata(req);

    if (error != -ENOENT && error != -ENAMETOOLONG && error != -ENOTTY) {
        error =
            lod_dataset_node_failed(ops->dataset, (uint32_t)lod_subdir_number(ops, number), error);
    }
    /* ETIME: another request is reading the bytes, and may still succeed. */
    fuse_reply_err(req, error == -ETIME ? ETIMEDOUT : -error);
}
