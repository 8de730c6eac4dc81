/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the daemon of a mount for its store; see behind.h. */
#include "fuse/behind.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "control.h"

bool lod_behind(const char *mountpoint, char ret_store[PATH_MAX])
{
    struct lod_ioc_store store;
    int fd = open(mountpoint, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool answered = fd >= 0 && ioctl(fd, LOD_IOC_STORE, &store) == 0;

    if (fd >= 0) {
        close(fd);
    }
    if (answered) {
        store.location[sizeof(store.location) - 1] = '\0';
        snprintf(ret_store, PATH_MAX, "%s", store.location);
    }
    return answered;
}

bool lod_behind_is_ours(const char *type)
{
    return strcmp(type, "fuse.lodfs") == 0;
}

bool lod_behind_is_fuse(const char *type)
{
    return strcmp(type, "fuse") == 0 || strncmp(type, "fuse.", 5) == 0;
}
