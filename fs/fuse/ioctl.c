/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ioctls: the daemon's process id and its store on the root, the dial and the counters on
 * .lodfs/control. A read-only mount refuses writes before we see them, so this is how the user
 * speaks to the daemon.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control_text.h"
#include "fuse/ops.h"

/* The process id is what `lodfs umount` waits for. */
static void tell_pid(fuse_req_t req)
{
    int pid = getpid();

    fuse_reply_ioctl(req, 0, &pid, sizeof(pid));
}

static void tell_store(fuse_req_t req, const struct lod_ops *ops)
{
    struct lod_ioc_store store = {{0}};

    snprintf(store.location, sizeof(store.location), "%s", ops->control->facts.store);
    fuse_reply_ioctl(req, 0, &store, sizeof(store));
}

static void tell_stats(fuse_req_t req, const struct lod_ops *ops)
{
    struct lod_ioc_stats stats = {{0}};
    int error = lod_control_stats_text(ops->control, stats.json, sizeof(stats.json));

    if (error) {
        fuse_reply_err(req, -error);
    } else {
        fuse_reply_ioctl(req, 0, &stats, sizeof(stats));
    }
}

static void set_auto(fuse_req_t req, const struct lod_ops *ops, const void *in)
{
    uint32_t fidelity;

    memcpy(&fidelity, in, sizeof(fidelity));
    int error = lod_notify_switch(ops->notify, req, fidelity);
    if (error) {
        fuse_reply_err(req, -error);
    }
}

void lod_op_ioctl(fuse_req_t req, fuse_ino_t number, unsigned command, void *arg,
                  struct fuse_file_info *fi, unsigned flags, const void *in, size_t in_bytes,
                  size_t out_bytes)
{
    const struct lod_ops *ops = lod_ops_begin(req, LOD_REQUEST_IOCTL);
    uid_t uid = fuse_req_ctx(req)->uid;

    (void)arg;
    (void)fi;
    (void)flags;
    if (number == LOD_INODE_ROOT && command == LOD_IOC_PID && out_bytes >= sizeof(int)) {
        tell_pid(req);
    } else if (number == LOD_INODE_ROOT && command == LOD_IOC_STORE &&
               out_bytes >= sizeof(struct lod_ioc_store)) {
        tell_store(req, ops);
    } else if (number != LOD_INODE_CONTROL) {
        fuse_reply_err(req, ENOTTY);
    } else if (uid != 0 && uid != ops->control->facts.mounter) {
        fuse_reply_err(req, EPERM);
    } else if (command == LOD_IOC_SET_AUTO && in_bytes >= sizeof(uint32_t)) {
        set_auto(req, ops, in);
    } else if (command == LOD_IOC_STATS && out_bytes >= sizeof(struct lod_ioc_stats)) {
        tell_stats(req, ops);
    } else {
        fuse_reply_err(req, ENOTTY);
    }
}
