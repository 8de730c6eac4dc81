/* SPDX-License-Identifier: Apache-2.0 */
/* What the sources of this folder share: the state of a mount and the steps of its callbacks. */
#ifndef LOD_OPS_H
#define LOD_OPS_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
#include <sys/ioctl.h>

#include "compiler.h"
#include "dataset.h"
#include "fuse/daemon.h"
#include "control.h"
#include "control_files.h"
#include "fuse/notify.h"
#include "grammar.h"
#include "reader.h"

/* On the mount's root folder: the daemon's process id, as an int. */
#define LOD_IOC_PID _IOR('L', 1, int)

/* Userdata of the session; set before the loop starts, then only read. All borrowed. */
struct lod_ops {
    struct lod_dataset *dataset;
    struct lod_reader *reader;
    struct lod_daemon *daemon;
    struct lod_control *control;
    struct lod_control_files *files;
    struct lod_notify *notify;
    uid_t uid; /* of every file */
    gid_t gid;
    mode_t file_mask, folder_mask; /* bits taken from the modes */
    bool direct_io;                /* no page cache: every read comes here */
    unsigned read_bytes_max;       /* of one request; what the mount option max_read says */
};

extern const struct fuse_lowlevel_ops lod_fuse_ops;

/* What stat(2) shows. */
LOD_MUST_CHECK int lod_ops_attr(const struct lod_ops *ops, const struct lod_found *found,
                                struct stat *ret_attr);

/* The item of a file and its plan. */
LOD_MUST_CHECK int lod_ops_plan(const struct lod_ops *ops, const struct lod_found *found,
                                struct lod_item *ret_item, struct lod_plan *ret_plan);

/* Seconds that the kernel may keep what stat(2) shows: 0 for live files of .lodfs. */
double lod_ops_attr_timeout(const struct lod_found *found);

/* An entry of `found`: it never goes, so it is valid as long as the mount lives. */
LOD_MUST_CHECK int lod_ops_entry(const struct lod_ops *ops, const struct lod_found *found,
                                 struct fuse_entry_param *ret_entry);

#define LOD_TIMEOUT_S 1e9 /* 31 years: as long as the mount lives, for the kernel's clock */

/* Answers `error`: ENOENT, ENOMEM, EINTR and ENOTTY as they are, others logged, as EIO. */
void lod_ops_fail(fuse_req_t req, fuse_ino_t number, int error);

/* Counts the request; the state of its mount. */
const struct lod_ops *lod_ops_begin(fuse_req_t req, enum lod_request request);

void lod_op_ioctl(fuse_req_t req, fuse_ino_t number, unsigned command, void *arg,
                  struct fuse_file_info *fi, unsigned flags, const void *in, size_t in_bytes,
                  size_t out_bytes);
void lod_op_readdir(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                    struct fuse_file_info *fi);
void lod_op_readdirplus(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                        struct fuse_file_info *fi);

#endif
