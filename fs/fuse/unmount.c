/* SPDX-License-Identifier: Apache-2.0 */
/* `lodfs umount`: takes a mount of ours away and waits for its daemon to end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "fuse/mount.h"
#include "fuse/ops.h"
#include "fuse/place.h"
#include "log.h"

#define END_WAIT_MS 10000

/* Whoever only looks at a mount, as a pack does that asks for its store, is gone by then. */
#define BUSY_TRIES   5u
#define BUSY_WAIT_US 100000u

/* A handle on the daemon, -1: a dead one, or none that can be waited for from here. */
static int open_daemon(const char *path)
{
    int pid = 0, folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0) {
        return -1;
    }
    int error = ioctl(folder, LOD_IOC_PID, &pid);
    close(folder);
    return error || pid <= 0 ? -1 : pidfd_open(pid, 0);
}

static void wait_for_end(int daemon)
{
    struct pollfd end = {.fd = daemon, .events = POLLIN};

    if (poll(&end, 1, END_WAIT_MS) == 0) {
        lod_log(LOD_LOG_WARNING, "the daemon has not ended yet: the mount may be seen in another "
                                 "namespace, a container's perhaps");
    }
}

static const char *reason(int error)
{
    switch (error) {
    case -EBUSY:
        return "in use; end what uses it, or add -l";
    case -EPERM:
        return "not permitted; only root and the one who mounted it may";
    case -ENOSYS:
        return "fusermount3 is missing; install package fuse3";
    case -ECANCELED:
        return "fusermount3 would not, and says above why";
    default:
        return strerror(-error);
    }
}

static int unmount(const char *path, bool lazy)
{
    int error = lod_place_unmount(path, lazy);

    for (unsigned i = 1; error == -EBUSY && i < BUSY_TRIES; i++) {
        usleep(BUSY_WAIT_US);
        error = lod_place_unmount(path, lazy);
    }
    return error;
}

int lod_mount_end(const char *mountpoint, bool lazy)
{
    char path[PATH_MAX], shown[PATH_MAX];
    int error = lod_place_resolve(mountpoint, path);

    lod_escape(mountpoint, strlen(mountpoint), shown, sizeof(shown));
    if (error) {
        lod_log(LOD_LOG_ERROR, "%s: %s", shown, strerror(-error));
        return error;
    }
    if (!lod_place_is_lodfs(path)) {
        lod_log(LOD_LOG_ERROR, "%s: no lodfs is mounted there", shown);
        return -EINVAL;
    }
    int daemon = lazy ? -1 : open_daemon(path);
    error = unmount(path, lazy);
    if (error) {
        lod_log(LOD_LOG_ERROR, "%s: cannot unmount: %s", shown, reason(error));
    } else if (daemon >= 0) {
        wait_for_end(daemon);
    }
    if (daemon >= 0) {
        close(daemon);
    }
    return error;
}
