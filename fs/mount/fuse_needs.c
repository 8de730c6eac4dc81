/* SPDX-License-Identifier: Apache-2.0 */
#include "mount/fuse_needs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "log.h"

#define DEVICE "/dev/fuse"
#define HELPER "fusermount3"
#define GIVEN  "start the container with --device " DEVICE " --cap-add SYS_ADMIN"

/* Returns why the device cannot be opened, with advice, or NULL. EPERM is the answer of a container
 * that was not given the device. */
static const char *device_lacks(void)
{
    int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

    if (fd >= 0) {
        close(fd);
        return NULL;
    }
    switch (errno) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EPERM:
        return "there is no " DEVICE "; run modprobe fuse, or " GIVEN;
    case EACCES:
        return "this user may not open " DEVICE
               "; mount as root, or, as root, run chmod 666 " DEVICE;
    default:
        return NULL;
    }
}

/* Searches where libfuse does: in /usr/bin, then in each folder of PATH. */
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

/* Returns whether this process may call mount(2). Where it may not, libfuse runs the helper. */
static bool may_mount(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

    return syscall(SYS_capget, &header, data) != 0 || data[0].effective & 1u << CAP_SYS_ADMIN;
}

int lod_fuse_needs_check(const char *mountpoint)
{
    const char *lacks = device_lacks();

    if (lacks) {
        lod_log(LOD_LOG_ERROR, "%pE: %s", mountpoint, lacks);
        return -ENODEV;
    }
    if (!may_mount() && !has_helper()) {
        lod_log(LOD_LOG_ERROR, "%pE: %s", mountpoint,
                geteuid() ? HELPER " is missing; install package fuse3"
                          : "this process may not mount; " GIVEN);
        return -ENOSYS;
    }
    return 0;
}
