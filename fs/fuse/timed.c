/* SPDX-License-Identifier: Apache-2.0 */
/* Two looks at the clock a request, which asks no kernel; see timed.h. */
#include "fuse/timed.h"

#include "clock.h"

/* A request is gone once it is answered: what is needed of it is taken before. */
struct timing {
    struct lod_control *control;
    uint64_t from_ns;
};

static struct timing begin(fuse_req_t req)
{
    const struct lod_ops *ops = fuse_req_userdata(req);

    return (struct timing){.control = ops->control, .from_ns = lod_clock_ns()};
}

static void end(const struct timing *timing, enum lod_request request)
{
    lod_durations_add(&timing->control->durations, request, lod_clock_ns() - timing->from_ns);
}

/* The callback of that name with a clock around it; the first of its arguments is `req`. */
#define TIMED(op, request, parameters, ...)                                                        \
    static void timed_##op parameters                                                              \
    {                                                                                              \
        struct timing timing = begin(req);                                                         \
                                                                                                   \
        lod_fuse_ops.op(__VA_ARGS__);                                                              \
        end(&timing, request);                                                                     \
    }

TIMED(lookup, LOD_REQUEST_LOOKUP, (fuse_req_t req, fuse_ino_t parent, const char *name), req,
      parent, name)
TIMED(getattr, LOD_REQUEST_GETATTR, (fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi),
      req, number, fi)
TIMED(readlink, LOD_REQUEST_READLINK, (fuse_req_t req, fuse_ino_t number), req, number)
TIMED(open, LOD_REQUEST_OPEN, (fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi), req,
      number, fi)
TIMED(opendir, LOD_REQUEST_OPEN, (fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi),
      req, number, fi)
TIMED(read, LOD_REQUEST_READ,
      (fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *fi),
      req, number, size, offset, fi)
TIMED(statfs, LOD_REQUEST_STATFS, (fuse_req_t req, fuse_ino_t number), req, number)
TIMED(readdir, LOD_REQUEST_READDIR,
      (fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *fi),
      req, number, size, offset, fi)
TIMED(readdirplus, LOD_REQUEST_READDIRPLUS,
      (fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *fi),
      req, number, size, offset, fi)
TIMED(getxattr, LOD_REQUEST_XATTR,
      (fuse_req_t req, fuse_ino_t number, const char *name, size_t size), req, number, name, size)
TIMED(listxattr, LOD_REQUEST_XATTR, (fuse_req_t req, fuse_ino_t number, size_t size), req, number,
      size)
TIMED(ioctl, LOD_REQUEST_IOCTL,
      (fuse_req_t req, fuse_ino_t number, unsigned command, void *arg, struct fuse_file_info *fi,
       unsigned flags, const void *in, size_t in_bytes, size_t out_bytes),
      req, number, command, arg, fi, flags, in, in_bytes, out_bytes)

static void init(void *userdata, struct fuse_conn_info *conn)
{
    lod_fuse_ops.init(userdata, conn);
}

static void forget(fuse_req_t req, fuse_ino_t number, uint64_t count)
{
    lod_fuse_ops.forget(req, number, count);
}

static void forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
    lod_fuse_ops.forget_multi(req, count, forgets);
}

const struct fuse_lowlevel_ops lod_timed_ops = {
    .init = init,
    .lookup = timed_lookup,
    .forget = forget,
    .forget_multi = forget_multi,
    .getattr = timed_getattr,
    .readlink = timed_readlink,
    .open = timed_open,
    .read = timed_read,
    .statfs = timed_statfs,
    .opendir = timed_opendir,
    .readdir = timed_readdir,
    .readdirplus = timed_readdirplus,
    .getxattr = timed_getxattr,
    .listxattr = timed_listxattr,
    .ioctl = timed_ioctl,
};
