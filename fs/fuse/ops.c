/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The callbacks. Each resolves the inode number by arithmetic, asks dataset, view and reader, and
 * answers once. Content never changes while mounted, so the kernel is told to keep all of it:
 * entries, attributes, links, pages; open and opendir answer ENOSYS and are never sent again.
 */
#include "fuse/ops.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
    const struct lod_ops *ops = userdata;

    conn->want |=
        conn->capable & (FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_IOCTL_DIR |
                         FUSE_CAP_READDIRPLUS | FUSE_CAP_AUTO_INVAL_DATA);
    /* Every listing brings the attributes: `find` and loaders stat what they list. */
    conn->want &= ~(unsigned)FUSE_CAP_READDIRPLUS_AUTO;
    conn->max_read = ops->read_bytes_max;
    conn->time_gran = 1;
    lod_daemon_ready(ops->daemon);
}

/* "." and ".." are asked for by file handles (NFS) alone. */
static int walk(const struct lod_ops *ops, const struct lod_found *from, const char *name,
                struct lod_found *ret_found)
{
    if (strcmp(name, ".") == 0) {
        *ret_found = *from;
        return 0;
    }
    return strcmp(name, "..") == 0 ? lod_grammar_up(ops->dataset, from, ret_found)
                                   : lod_grammar_lookup(ops->dataset, from, name, ret_found);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    const struct lod_ops *ops = lod_ops_begin(req, LOD_REQUEST_LOOKUP);
    struct lod_found folder, child;
    struct fuse_entry_param entry = {.entry_timeout = LOD_TIMEOUT_S};
    int error = lod_grammar_find(ops->dataset, parent, &folder);

    if (!error) {
        error = walk(ops, &folder, name, &child);
        if (error == -ENOENT) { /* a name that is not there stays away as long */
            fuse_reply_entry(req, &entry);
            return;
        }
    }
    if (!error) {
        error = lod_ops_entry(ops, &child, &entry);
    }
    if (error) {
        lod_ops_fail(req, parent, error);
    } else {
        fuse_reply_entry(req, &entry);
    }
}

static void op_getattr(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
    const struct lod_ops *ops = lod_ops_begin(req, LOD_REQUEST_GETATTR);
    struct lod_found found;
    struct stat attr;

    (void)fi;
    int error = lod_grammar_find(ops->dataset, number, &found);
    if (!error) {
        error = lod_ops_attr(ops, &found, &attr);
    }
    if (error) {
        lod_ops_fail(req, number, error);
    } else {
        fuse_reply_attr(req, &attr, lod_ops_attr_timeout(&found));
    }
}

static void op_readlink(fuse_req_t req, fuse_ino_t number)
{
    const struct lod_ops *ops = lod_ops_begin(req, LOD_REQUEST_READLINK);
    struct lod_found found;
    char target[LOD_TARGET_MAX + 1];
    int error = lod_grammar_find(ops->dataset, number, &found);

    if (!error && found.inode.fidelity == LOD_AUTO) {
        fuse_reply_readlink(req, lod_fidelity_name(lod_control_auto(ops->control)));
        return;
    }
    if (!error) {
        error = lod_index_target(lod_dataset_index(ops->dataset), &found.node, target);
    }
    if (error) {
        lod_ops_fail(req, number, error);
    } else {
        fuse_reply_readlink(req, target);
    }
}

/* The files of .lodfs; they are small enough to be answered as a whole. */
static void read_control(fuse_req_t req, const struct lod_ops *ops, uint32_t number, size_t size,
                         off_t offset)
{
    char text[LOD_CONTROL_FILE_BYTES];
    size_t bytes = size < sizeof(text) ? size : sizeof(text);
    int error = lod_control_file_read(ops->files, number, (uint64_t)offset, text, &bytes);

    if (error) {
        lod_ops_fail(req, number, error);
    } else {
        fuse_reply_buf(req, text, bytes);
    }
}

static void op_read(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                    struct fuse_file_info *fi)
{
    const struct lod_ops *ops = lod_ops_begin(req, LOD_REQUEST_READ);
    struct lod_found found;
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;

    (void)fi;
    int error = offset < 0 || size > LOD_READ_BYTES_MAX ? -EINVAL : 0;
    if (!error) {
        error = lod_grammar_find(ops->dataset, number, &found);
    }
    if (!error && !found.view) {
        read_control(req, ops, found.inode.node, size, offset);
        return;
    }
    if (!error) {
        error = lod_ops_plan(ops, &found, &item, &plan);
    }
    if (!error) {
        error = lod_reader_read(ops->reader, &item, &plan, (uint64_t)offset, size, &read);
    }
    if (error) {
        lod_ops_fail(req, number, error);
        return;
    }
    lod_control_count_read(ops->control, found.inode.fidelity, read.bytes);
    fuse_reply_iov(req, read.iov, (int)read.count);
    lod_read_finish(&read);
}

/* A read-only file system is full: what it holds and nothing free. */
static void op_statfs(fuse_req_t req, fuse_ino_t number)
{
    const struct lod_ops *ops = lod_ops_begin(req, LOD_REQUEST_STATFS);
    struct lod_index *index = lod_dataset_index(ops->dataset);
    uint64_t unit = LOD_BLOCK_BYTES;
    struct statvfs stats = {
        .f_bsize = unit,
        .f_frsize = unit,
        .f_blocks = (lod_index_source_bytes(index) + unit - 1) / unit,
        .f_files = lod_index_nodes(index),
        .f_namemax = LOD_NAME_MAX,
    };

    (void)number;
    fuse_reply_statfs(req, &stats);
}

static void op_opendir(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
    lod_ops_begin(req, LOD_REQUEST_OPEN);
    (void)number;
    (void)fi;
    fuse_reply_err(req, ENOSYS);
}

/* The kernel heeds no flag of an open once one was answered ENOSYS, so it is all files or none. */
static void op_open(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
    const struct lod_ops *ops = lod_ops_begin(req, LOD_REQUEST_OPEN);

    (void)number;
    if (!ops->direct_io) {
        fuse_reply_err(req, ENOSYS);
        return;
    }
    fi->direct_io = 1;
    fi->noflush = 1;
    fuse_reply_open(req, fi);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t number, const char *name, size_t size)
{
    lod_ops_begin(req, LOD_REQUEST_XATTR);
    (void)number;
    (void)name;
    (void)size;
    fuse_reply_err(req, ENOSYS);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t number, size_t size)
{
    lod_ops_begin(req, LOD_REQUEST_XATTR);
    (void)number;
    (void)size;
    fuse_reply_err(req, ENOSYS);
}

/* Numbers are arithmetic: there is nothing to forget. */
static void op_forget(fuse_req_t req, fuse_ino_t number, uint64_t count)
{
    (void)number;
    (void)count;
    fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
    (void)count;
    (void)forgets;
    fuse_reply_none(req);
}

const struct fuse_lowlevel_ops lod_fuse_ops = {
    .init = op_init,
    .lookup = op_lookup,
    .forget = op_forget,
    .forget_multi = op_forget_multi,
    .getattr = op_getattr,
    .readlink = op_readlink,
    .open = op_open,
    .read = op_read,
    .statfs = op_statfs,
    .opendir = op_opendir,
    .readdir = lod_op_readdir,
    .readdirplus = lod_op_readdirplus,
    .getxattr = op_getxattr,
    .listxattr = op_listxattr,
    .ioctl = lod_op_ioctl,
};
