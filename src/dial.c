/* SPDX-License-Identifier: Apache-2.0 */
/* See dial.h. */
#include "dial.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fuse/place.h"
#include "log.h"

static int failed(const char *mount, int error)
{
    char shown[4 * PATH_MAX];
    const char *why = error == -EPERM || error == -EACCES
                          ? "not permitted; only root and the one who mounted it may"
                      : error == -ENOTCONN ? "its daemon is gone; unmount it and mount it again"
                                           : strerror(-error);

    fprintf(stderr, "lodfs: %s: %s\n", lod_escape(mount, strlen(mount), shown, sizeof(shown)), why);
    return error;
}

static int not_ours(const char *mount)
{
    char shown[4 * PATH_MAX];

    fprintf(stderr, "lodfs: %s: no lodfs is mounted there\n",
            lod_escape(mount, strlen(mount), shown, sizeof(shown)));
    return -EINVAL;
}

int lod_dial_open(const char *mount, int *ret_fd)
{
    char path[PATH_MAX], control[PATH_MAX + 16];
    int error = lod_place_resolve(mount, path);

    if (error) {
        return failed(mount, error);
    }
    if (!lod_place_is_lodfs(path)) {
        return not_ours(mount);
    }
    snprintf(control, sizeof(control), "%s/.lodfs/control", path);
    int fd = open(control, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return failed(mount, -errno);
    }
    *ret_fd = fd;
    return 0;
}

int lod_dial_set(int fd, const char *mount, enum lod_fidelity fidelity)
{
    uint32_t number = fidelity;

    return ioctl(fd, LOD_IOC_SET_AUTO, &number) ? failed(mount, -errno) : 0;
}

int lod_dial_stats(int fd, const char *mount, struct lod_ioc_stats *ret_stats)
{
    if (ioctl(fd, LOD_IOC_STATS, ret_stats)) {
        return failed(mount, -errno);
    }
    ret_stats->json[sizeof(ret_stats->json) - 1] = '\0';
    return 0;
}
