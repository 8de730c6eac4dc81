/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an inode number to what stat(2) shows, by arithmetic and rows of the index alone. Nothing
 * here reads a record.
 */
#include "fuse/ops.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#define SECTOR_BYTES 512   /* of st_blocks, on every Linux file system */
#define READ_HINT    65536 /* st_blksize: buffered readers take one read for a small photograph */
#define MTIME_SHIFT  30    /* a node's mtime: seconds * 2^30 + nanoseconds */

int lod_ops_plan(const struct lod_ops *ops, const struct lod_found *found,
                 struct lod_item *ret_item, struct lod_plan *ret_plan)
{
    if (!S_ISREG(found->node.mode)) {
        return -EINVAL;
    }
    int error = lod_dataset_item(ops->dataset, found->node.ref, ret_item);
    return error ? error
                 : found->view->plan(ops->dataset, &found->node, ret_item, found->inode.fidelity,
                                     ret_plan);
}

static int size_of(const struct lod_ops *ops, const struct lod_found *found, off_t *ret_size)
{
    struct lod_item item;
    struct lod_plan plan;

    if (!found->view) {
        *ret_size = (off_t)lod_control_file_bytes(found->inode.node);
        return 0;
    }
    if (found->inode.fidelity == LOD_AUTO) {
        *ret_size = LOD_AUTO_BYTES;
        return 0;
    }
    if (!S_ISREG(found->node.mode)) {
        *ret_size = S_ISLNK(found->node.mode) ? (off_t)found->node.count : 0;
        return 0;
    }
    int error = lod_ops_plan(ops, found, &item, &plan);
    if (!error) {
        *ret_size = (off_t)plan.bytes;
    }
    return error;
}

static bool is_control_file(const struct lod_found *found)
{
    return !found->view && S_ISREG(found->node.mode);
}

/* What `config` says does not change. */
static bool is_live(const struct lod_found *found)
{
    return is_control_file(found) && found->inode.node != LOD_INODE_CONFIG;
}

double lod_ops_attr_timeout(const struct lod_found *found)
{
    return is_live(found) ? 0 : LOD_TIMEOUT_S;
}

/* A time of its own at each look; and -o uid= gives the files away, not the right to switch. */
static void show_live(const struct lod_ops *ops, struct stat *attr)
{
    clock_gettime(CLOCK_REALTIME, &attr->st_mtim); /* pages of an older time are read anew */
    attr->st_ctim = attr->st_mtim;
    if (attr->st_ino == LOD_INODE_CONTROL) {
        attr->st_uid = ops->control->facts.mounter;
        attr->st_mode = S_IFREG | 0400;
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
    struct timespec mtime = {
        .tv_sec = (time_t)(found->node.mtime >> MTIME_SHIFT),
        .tv_nsec = (long)(found->node.mtime & ((1l << MTIME_SHIFT) - 1)),
    };
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
    if (is_live(found)) {
        show_live(ops, ret_attr);
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
