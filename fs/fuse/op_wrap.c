/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and times each callback; see op_wrap.h. Reading the clock needs no system call. */
#include "fuse/op_wrap.h"

#include <pthread.h>

#include "clock.h"

/* The request is freed when it is answered, so `control` is taken from it before that. */
struct timing {
    struct lod_control *control;
    uint64_t from_ns;
};

static struct timing begin(fuse_req_t req, enum lod_request request)
{
    const struct lod_ops *ops = fuse_req_userdata(req);

    /* With io_uring, libfuse cancels its threads at the end. In a callback they must not be. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    lod_control_count(ops->control, request);
    return (struct timing){.control = ops->control, .from_ns = lod_clock_ns()};
}

static void end(const struct timing *timing, enum lod_request request)
{
    lod_durations_add(&timing->control->durations, request, lod_clock_ns() - timing->from_ns);
}

/* Defines the callback `op` with counter and clock around it; its first argument is `req`. */
#define WRAP(op, request, parameters, ...)                                                         \
    static void wrapped_##op parameters                                                            \
    {                                                                                              \
        struct timing timing = begin(req, request);                                                \
                                                                                                   \
        lod_fuse_ops.op(__VA_ARGS__);                                                              \
        end(&timing, request);                                                                     \
    }

WRAP(lookup, LOD_REQUEST_LOOKUP, (fuse_req_t req, fuse_ino_t parent, const char *name), req, parent,
     name)
WRAP(getattr, LOD_REQUEST_GETATTR, (fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi),
     req, number, fi)
WRAP(readlink, LOD_REQUEST_READLINK, (fuse_req_t req, fuse_ino_t number), req, number)
WRAP(open, LOD_REQUEST_OPEN, (fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi), req,
     number, fi)
WRAP(opendir, LOD_REQUEST_OPEN, (fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi), req,
     number, fi)
WRAP(read, LOD_REQUEST_READ,
     (fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *fi), req,
     number, size, offset, fi)
WRAP(statfs, LOD_REQUEST_STATFS, (fuse_req_t req, fuse_ino_t number), req, number)
WRAP(readdir, LOD_REQUEST_READDIR,
     (fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *fi), req,
     number, size, offset, fi)
WRAP(readdirplus, LOD_REQUEST_READDIRPLUS,
     (fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *fi), req,
     number, size, offset, fi)
WRAP(getxattr, LOD_REQUEST_XATTR,
     (fuse_req_t req, fuse_ino_t number, const char *name, size_t size), req, number, name, size)
WRAP(listxattr, LOD_REQUEST_XATTR, (fuse_req_t req, fuse_ino_t number, size_t size), req, number,
     size)
WRAP(ioctl, LOD_REQUEST_IOCTL,
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

const struct fuse_lowlevel_ops lod_wrapped_ops = {
    .init = init,
    .lookup = wrapped_lookup,
    .forget = forget,
    .forget_multi = forget_multi,
    .getattr = wrapped_getattr,
    .readlink = wrapped_readlink,
    .open = wrapped_open,
    .read = wrapped_read,
    .statfs = wrapped_statfs,
    .opendir = wrapped_opendir,
    .readdir = wrapped_readdir,
    .readdirplus = wrapped_readdirplus,
    .getxattr = wrapped_getxattr,
    .listxattr = wrapped_listxattr,
    .ioctl = wrapped_ioctl,
};
