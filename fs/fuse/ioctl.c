/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ioctls: the daemon's process id and its store on the root, the fidelity of `auto` and what
 * jobs will read on .lodfs/control. They are the only way to control the daemon, since the kernel
 * refuses writes to a read-only mount. Other files have no ioctl, but get requests: Python's open()
 * asks whether a file is a terminal. The answer ENOSYS would make the kernel stop sending ioctls.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuse/ops.h"

/* Returns the process id, for which `lodfs umount` waits. */
static void reply_pid(fuse_req_t req)
{
    int pid = getpid();

    fuse_reply_ioctl(req, 0, &pid, sizeof(pid));
}

static void reply_store(fuse_req_t req, const struct lod_ops *ops)
{
    struct lod_ioc_store store = {{0}};

    snprintf(store.location, sizeof(store.location), "%s", ops->control->facts.store);
    fuse_reply_ioctl(req, 0, &store, sizeof(store));
}

static void set_auto(fuse_req_t req, const struct lod_ops *ops, const void *in)
{
    uint32_t fidelity;

    memcpy(&fidelity, in, sizeof(fidelity));
    int error = ops->rings ? lod_control_switch(ops->control, fidelity)
                           : lod_notify_switch(ops->notify, req, fidelity);
    if (error) {
        fuse_reply_err(req, -error);
    } else if (ops->rings) {
        fuse_reply_ioctl(req, 0, NULL, 0);
    }
}

static void take_ahead_request(fuse_req_t req, const struct lod_ops *ops, const void *in,
                               size_t in_bytes)
{
    uint32_t records[LOD_AHEAD_REQUEST_RECORDS];
    uint8_t reply[LOD_AHEAD_ANSWER_BYTES];
    struct lod_ahead_request request;
    struct lod_ahead_answer answer;

    int error = lod_ahead_request_read(in, in_bytes, records, &request);
    error = error ? error : lod_reader_announce(ops->control->reader, &request, &answer);
    if (error) {
        fuse_reply_err(req, -error);
        return;
    }
    lod_ahead_answer_write(&answer, reply);
    fuse_reply_ioctl(req, 0, reply, sizeof(reply));
}

void lod_op_ioctl(fuse_req_t req, fuse_ino_t number, unsigned command, void *arg,
                  struct fuse_file_info *fi, unsigned flags, const void *in, size_t in_bytes,
                  size_t out_bytes)
{
    const struct lod_ops *ops = fuse_req_userdata(req);

    (void)arg;
    (void)fi;
    (void)flags;
    if (number != LOD_INODE_ROOT && number != LOD_INODE_CONTROL) {
        fuse_reply_err(req, ENOTTY);
        return;
    }
    const uid_t uid = fuse_req_ctx(req)->uid;
    if (number == LOD_INODE_ROOT && command == LOD_IOC_PID && out_bytes >= sizeof(int)) {
        reply_pid(req);
    } else if (uid != 0 && uid != ops->control->facts.mounter) {
        fuse_reply_err(req, EPERM);
    } else if (number == LOD_INODE_ROOT && command == LOD_IOC_STORE &&
               out_bytes >= sizeof(struct lod_ioc_store)) {
        reply_store(req, ops);
    } else if (number == LOD_INODE_CONTROL && command == LOD_IOC_SET_AUTO &&
               in_bytes >= sizeof(uint32_t)) {
        set_auto(req, ops, in);
    } else if (number == LOD_INODE_CONTROL && command == LOD_IOC_AHEAD &&
               out_bytes >= LOD_AHEAD_ANSWER_BYTES) {
        take_ahead_request(req, ops, in, in_bytes);
    } else {
        fuse_reply_err(req, ENOTTY);
    }
}
