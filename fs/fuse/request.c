/* SPDX-License-Identifier: Apache-2.0 */
/* How every callback begins, and how it ends where it cannot answer; see ops.h. */
#include "fuse/ops.h"

#include <errno.h>
#include <string.h>

#include "log.h"

const struct lod_ops *lod_ops_begin(fuse_req_t req, enum lod_request request)
{
    const struct lod_ops *ops = fuse_req_userdata(req);

    lod_control_count(ops->control, request);
    return ops;
}

void lod_ops_fail(fuse_req_t req, fuse_ino_t number, int error)
{
    if (error == -ENOENT || error == -ENOMEM || error == -EINTR || error == -ENOTTY) {
        fuse_reply_err(req, -error);
        return;
    }
    if (error != -EIO) { /* -EIO was logged where it was found */
        lod_log(LOD_LOG_ERROR, "inode %#llx: the index cannot be used here: %s",
                (unsigned long long)number, strerrorname_np(-error));
    }
    fuse_reply_err(req, EIO);
}
