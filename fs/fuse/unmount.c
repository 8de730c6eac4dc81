/* SPDX-License-Identifier: Apache-2.0 */
/* `lodfs umount`: unmounts and waits for the daemon to end. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "fuse/mount.h"
#include "log.h"
#include "mount/mount_query.h"
#include "mount/mountpoint.h"

#define END_WAIT_MS 10000

/* How long to retry while the mount is busy: a short use, such as a query for the mount's store,
 * ends within this time. */
#define BUSY_TRIES   5u
#define BUSY_WAIT_US 100000u

static void wait_for_end(int daemon)
{
    struct pollfd end = {.fd = daemon, .events = POLLIN};

    if (poll(&end, 1, END_WAIT_MS) == 0) {
        lod_log(LOD_LOG_WARNING, "the daemon has not ended yet: another mount namespace, such as a "
                                 "container's, may still have the mount");
    }
}

/* `answers`: whether the daemon has answered. */
static const char *reason(int error, bool answers)
{
    switch (error) {
    case -EBUSY:
        return answers ? "in use; end the programs that use it, or add -l"
                       : "in use, and its daemon does not answer; add -l, and kill the daemon if "
                         "it keeps running";
    case -EPERM:
        return "not permitted; only root and the user who mounted it may do this";
    case -ENOSYS:
        return "fusermount3 is missing; install package fuse3";
    case -ECANCELED:
        return "fusermount3 failed; its message is above";
    default:
        return strerror(-error);
    }
}

static int unmount(const char *path, bool lazy)
{
    int error = lod_mountpoint_unmount(path, lazy);

    for (unsigned i = 1; error == -EBUSY && i < BUSY_TRIES; i++) {
        usleep(BUSY_WAIT_US);
        error = lod_mountpoint_unmount(path, lazy);
    }
    return error;
}

int lod_mount_end(const char *mountpoint, bool lazy)
{
    char path[PATH_MAX];
    int error = lod_mountpoint_resolve(mountpoint, path);

    if (error) {
        lod_log(LOD_LOG_ERROR, "%pE: %s", mountpoint, strerror(-error));
        return error;
    }
    if (!lod_mountpoint_is_lodfs(path)) {
        lod_log(LOD_LOG_ERROR, "%pE: no lodfs is mounted there", mountpoint);
        return -EINVAL;
    }
    struct lod_mount_answer answer;
    int asked = lazy ? 0 : lod_mount_query(path, &answer);
    int daemon = lazy || asked ? -1 : pidfd_open(answer.pid, 0);
    error = unmount(path, lazy);
    if (error) {
        lod_log(LOD_LOG_ERROR, "%pE: cannot unmount: %s", mountpoint,
                reason(error, asked != -ETIMEDOUT));
    } else if (asked == -ETIMEDOUT) {
        lod_log(LOD_LOG_WARNING, "%pE: unmounted, but its daemon does not answer", mountpoint);
    } else if (daemon >= 0) {
        wait_for_end(daemon);
    }
    if (daemon >= 0) {
        close(daemon);
    }
    return error;
}
