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

static void timed_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    struct timing timing = begin(req);

    lod_fuse_ops.lookup(req, parent, name);
    end(&timing, LOD_REQUEST_LOOKUP);
}

static void timed_getattr(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
    struct timing timing = begin(req);

    lod_fuse_ops.getattr(req, number, fi);
    end(&timing, LOD_REQUEST_GETATTR);
}

static void timed_readlink(fuse_req_t req, fuse_ino_t number)
{
    struct timing timing = begin(req);

    lod_fuse_ops.readlink(req, number);
    end(&timing, LOD_REQUEST_READLINK);
}

static void timed_open(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
    struct timing timing = begin(req);

    lod_fuse_ops.open(req, number, fi);
    end(&timing, LOD_REQUEST_OPEN);
}

static void timed_opendir(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
    struct timing timing = begin(req);

    lod_fuse_ops.opendir(req, number, fi);
    end(&timing, LOD_REQUEST_OPEN);
}

static void timed_read(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                       struct fuse_file_info *fi)
{
    struct timing timing = begin(req);

    lod_fuse_ops.read(req, number, size, offset, fi);
    end(&timing, LOD_REQUEST_READ);
}

static void timed_statfs(fuse_req_t req, fuse_ino_t number)
{
    struct timing timing = begin(req);

    lod_fuse_ops.statfs(req, number);
    end(&timing, LOD_REQUEST_STATFS);
}

static void timed_readdir(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                          struct fuse_file_info *fi)
{
    struct timing timing = begin(req);

    lod_fuse_ops.readdir(req, number, size, offset, fi);
    end(&timing, LOD_REQUEST_READDIR);
}

static void timed_readdirplus(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                              struct fuse_file_info *fi)
{
    struct timing timing = begin(req);

    lod_fuse_ops.readdirplus(req, number, size, offset, fi);
    end(&timing, LOD_REQUEST_READDIRPLUS);
}

static void timed_getxattr(fuse_req_t req, fuse_ino_t number, const char *name, size_t size)
{
    struct timing timing = begin(req);

    lod_fuse_ops.getxattr(req, number, name, size);
    end(&timing, LOD_REQUEST_XATTR);
}

static void timed_listxattr(fuse_req_t req, fuse_ino_t number, size_t size)
{
    struct timing timing = begin(req);

    lod_fuse_ops.listxattr(req, number, size);
    end(&timing, LOD_REQUEST_XATTR);
}

static void timed_ioctl(fuse_req_t req, fuse_ino_t number, unsigned command, void *arg,
                        struct fuse_file_info *fi, unsigned flags, const void *in, size_t in_bytes,
                        size_t out_bytes)
{
    struct timing timing = begin(req);

    lod_fuse_ops.ioctl(req, number, command, arg, fi, flags, in, in_bytes, out_bytes);
    end(&timing, LOD_REQUEST_IOCTL);
}

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
