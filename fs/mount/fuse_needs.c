/* SPDX-License-Identifier: Apache-2.0 */
#include "mount/fuse_needs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

#define DEVICE "/dev/fuse"
#define HELPER "fusermount3"

/* EPERM is the answer of a container that was not given the device. */
static bool has_device(void)
{
    int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

    if (fd >= 0) {
        close(fd);
        return true;
    }
    return errno != ENOENT && errno != ENODEV && errno != ENXIO && errno != EPERM;
}

/* Looks where libfuse does: in /usr/bin, then in each folder of PATH. */
static bool has_helper(void)
{
    const char *folder = getenv("PATH");
    char path[PATH_MAX];

    if (access("/usr/bin/" HELPER, X_OK) == 0) {
        return true;
    }
    while (folder && *folder) {
        size_t bytes = strcspn(folder, ":");
        int wrote = bytes < PATH_MAX
                        ? snprintf(path, sizeof(path), "%.*s/" HELPER, (int)bytes, folder)
                        : PATH_MAX;
        if (wrote < PATH_MAX && access(path, X_OK) == 0) {
            return true;
        }
        folder += bytes + (folder[bytes] == ':');
    }
    return false;
}

int lod_fuse_needs_check(const char *mountpoint)
{
    if (!has_device()) {
        lod_log(LOD_LOG_ERROR,
                "%pE: there is no " DEVICE "; run modprobe fuse, or start the container with "
                "--device " DEVICE " --cap-add SYS_ADMIN",
                mountpoint);
        return -ENODEV;
    }
    if (geteuid() != 0 && !has_helper()) {
        lod_log(LOD_LOG_ERROR, "%pE: " HELPER " is missing; install package fuse3", mountpoint);
        return -ENOSYS;
    }
    return 0;
}
