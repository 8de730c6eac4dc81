/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a mount and the steps of its callbacks, shared by the sources of this module. */
#ifndef LOD_OPS_H
#define LOD_OPS_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "fuse/daemon.h"
#include "mount/control.h"
#include "mount/control_files.h"
#include "fuse/notify.h"
#include "views/namespace.h"
#include "read/reader.h"
#include "shard/shown_file.h"

/* The userdata of the session; constant after the kernel's first request. All borrowed. */
struct lod_ops {
    struct lod_dataset *dataset;
    struct lod_reader *reader;
    struct lod_shard_reader *shards;
    struct lod_daemon *daemon;
    struct lod_control *control;
    struct lod_control_files *files;
    struct lod_notify *notify;
    uint64_t root; /* the number of the folder that is mounted; see subdir.h */
    uid_t uid;     /* owner of every file */
    gid_t gid;
    mode_t file_mask, folder_mask; /* bits cleared in the modes */
    bool xattr;                    /* files have extended attributes */
    bool direct_io;                /* no page cache: the kernel sends every read */
    bool rings;                    /* requests come through io_uring, if the kernel offers it */
    unsigned read_bytes_max;       /* largest request: the mount option max_read */
};

extern const struct fuse_lowlevel_ops lod_fuse_ops;

/* Returns the attributes for stat(2). */
LOD_MUST_CHECK int lod_ops_attr(const struct lod_ops *ops, const struct lod_found *found,
                                struct stat *ret_attr);

/* Returns how many seconds the kernel may cache the attributes: 0 for live files of .lodfs. */
double lod_ops_attr_timeout(const struct lod_found *found);

/* Returns the directory entry of `found`. It is valid as long as the mount. */
LOD_MUST_CHECK int lod_ops_entry(const struct lod_ops *ops, const struct lod_found *found,
                                 struct fuse_entry_param *ret_entry);

#define LOD_TIMEOUT_S 1e9 /* 31 years, in place of for ever */

/*
 * Answers `error`. ENOENT, ENAMETOOLONG, ENOMEM, EINTR and ENOTTY are sent unchanged, ETIME as
 * ETIMEDOUT, all others as EIO. The dataset logs those that it has not logged yet.
 */
void lod_ops_fail(fuse_req_t req, fuse_ino_t number, int error);

void lod_op_ioctl(fuse_req_t req, fuse_ino_t number, unsigned command, void *arg,
                  struct fuse_file_info *fi, unsigned flags, const void *in, size_t in_bytes,
                  size_t out_bytes);
/* user.lodfs.* of files; ENOSYS without -o xattr. */
void lod_op_getxattr(fuse_req_t req, fuse_ino_t number, const char *name, size_t size);
void lod_op_listxattr(fuse_req_t req, fuse_ino_t number, size_t size);
void lod_op_readdir(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                    struct fuse_file_info *fi);
void lod_op_readdirplus(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                        struct fuse_file_info *fi);

#endif
