/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The callbacks. Each resolves the inode number by arithmetic, calls dataset, view and reader, and
 * answers once. Files never change while mounted, so the kernel may cache entries, attributes,
 * links and pages for ever. open and opendir answer ENOSYS, after which the kernel does not send
 * them.
 */
#include "fuse/ops.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fuse/ring.h"
#include "fuse/service.h"
#include "fuse/subdir.h"
#include "memory/buffer_pool.h"

#define PAGE_BYTES 4096u

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
    struct lod_ops *ops = userdata;

    conn->want |=
        conn->capable & (FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_IOCTL_DIR |
                         FUSE_CAP_READDIRPLUS | FUSE_CAP_AUTO_INVAL_DATA);
    ops->rings = lod_ring_choose(conn, ops->rings);
    if (ops->rings) { /* no thread could make the kernel forget a link; see ring.h */
        conn->want &= ~(unsigned)FUSE_CAP_CACHE_SYMLINKS;
    }
    if (ops->root != LOD_INODE_ROOT) { /* a file handle could name a file outside the folder */
        conn->want &= ~(unsigned)FUSE_CAP_EXPORT_SUPPORT;
    }
    /*
     * Every listing returns the attributes, since `find` and loaders stat the files that they list.
     */
    conn->want &= ~(unsigned)FUSE_CAP_READDIRPLUS_AUTO;
    conn->max_read = ops->read_bytes_max;
    conn->time_gran = 1;
    lod_daemon_ready(ops->daemon);
    lod_service_ready(getpid());
}

/* Looks up a name. Only file handles (NFS) request "." and "..". */
static int walk(const struct lod_ops *ops, const struct lod_found *from, const char *name,
                struct lod_found *ret_found)
{
    if (strcmp(name, ".") == 0) {
        *ret_found = *from;
        return 0;
    }
    return strcmp(name, "..") == 0 ? lod_subdir_up(ops, from, ret_found)
                                   : lod_subdir_lookup(ops, from, name, ret_found);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    const struct lod_ops *ops = fuse_req_userdata(req);
    struct lod_found folder, child;
    struct fuse_entry_param entry = {.entry_timeout = LOD_TIMEOUT_S};
    int error = lod_subdir_resolve(ops, parent, &folder);

    if (!error) {
        error = walk(ops, &folder, name, &child);
        if (error == -ENOENT && strlen(name) > LOD_NAME_MAX) {
            error = -ENAMETOOLONG;
        } else if (error == -ENOENT) { /* cache the missing name too */
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
    const struct lod_ops *ops = fuse_req_userdata(req);
    struct lod_found found;
    struct stat attr;

    (void)fi;
    int error = lod_subdir_resolve(ops, number, &found);
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
    const struct lod_ops *ops = fuse_req_userdata(req);
    struct lod_found found;
    char target[LOD_TARGET_MAX + 1];
    int error = lod_subdir_resolve(ops, number, &found);

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

/* Reads a file of .lodfs; it is small enough to be answered in one reply. */
static void read_control(fuse_req_t req, const struct lod_ops *ops, uint32_t number, size_t size,
                         off_t offset)
{
    char text[LOD_CONTROL_FILE_BYTES];
    size_t bytes = size < sizeof(text) ? size : sizeof(text);

    lod_control_file_read(ops->files, number, (uint64_t)offset, text, &bytes);
    fuse_reply_buf(req, text, bytes);
}

/* Returns the first page boundary in the memory; NULL for NULL. The kernel copies page by page, and
 * needs two copies for each page if the data does not begin at a boundary. */
static uint8_t *page_in(uint8_t *memory)
{
    return memory ? memory + -(uintptr_t)memory % PAGE_BYTES : NULL;
}

/* A framed file is assembled in a buffer, because it has more pieces than one reply may have. */
static void read_shard(fuse_req_t req, const struct lod_ops *ops, const struct lod_found *found,
                       size_t size, off_t offset)
{
    struct lod_buffer_pool *pool = lod_reader_pool(ops->reader);
    uint8_t *memory = lod_buffer_pool_take(pool, size + PAGE_BYTES), *buffer = page_in(memory);
    size_t bytes = 0;

    int error =
        buffer ? lod_shard_read(ops->shards, &found->shard, (uint64_t)offset, size, buffer, &bytes)
               : -ENOMEM;
    if (error) {
        lod_ops_fail(req, lod_inode_pack(found->inode), error);
    } else {
        lod_control_count_read(ops->control, found->inode.format, found->inode.fidelity, bytes);
        fuse_reply_buf(req, (const char *)buffer, bytes);
    }
    lod_buffer_pool_release(pool, memory);
}

static void op_read(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                    struct fuse_file_info *fi)
{
    const struct lod_ops *ops = fuse_req_userdata(req);
    struct lod_found found;
    struct lod_contents file;
    struct lod_read read;

    (void)fi;
    int error = offset < 0 || size > LOD_READ_BYTES_MAX ? -EINVAL : 0;
    if (!error) {
        error = lod_subdir_resolve(ops, number, &found);
    }
    if (!error && !found.view) {
        read_control(req, ops, found.inode.node, size, offset);
        return;
    }
    if (!error && lod_found_is_shard(&found)) {
        read_shard(req, ops, &found, size, offset);
        return;
    }
    if (!error) {
        error = S_ISREG(found.node.mode)
                    ? lod_shown_contents(ops->dataset, ops->shards, &found, &file)
                    : -EINVAL;
    }
    if (!error) {
        error = lod_reader_read(ops->reader, &file.item, &file.plan, (uint64_t)offset, size, &read);
    }
    if (error) {
        lod_ops_fail(req, number, error);
        return;
    }
    lod_control_count_read(ops->control, found.inode.format, found.inode.fidelity, read.bytes);
    fuse_reply_iov(req, read.iov, (int)read.count);
    lod_read_finish(&read);
}

/* Answers like other read-only file systems: nothing is free. */
static void op_statfs(fuse_req_t req, fuse_ino_t number)
{
    const struct lod_ops *ops = fuse_req_userdata(req);
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
    (void)number;
    (void)fi;
    fuse_reply_err(req, ENOSYS);
}

/* Answers ENOSYS for all files or for none: after ENOSYS the kernel ignores the flags of open. */
static void op_open(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
    const struct lod_ops *ops = fuse_req_userdata(req);

    (void)number;
    if (!ops->direct_io) {
        fuse_reply_err(req, ENOSYS);
        return;
    }
    fi->direct_io = 1;
    fi->noflush = 1;
    fuse_reply_open(req, fi);
}

/* Does nothing: inode numbers are arithmetic. */
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
    .getxattr = lod_op_getxattr,
    .listxattr = lod_op_listxattr,
    .ioctl = lod_op_ioctl,
};
