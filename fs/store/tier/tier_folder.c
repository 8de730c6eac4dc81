/* SPDX-License-Identifier: Apache-2.0 */
/* See tier_folder.h. The bytes of a tier are checked, but its files are unlinked at need. */
#include "tier/tier_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_system.h"

#define OTHERS (S_IRWXG | S_IRWXO)

static const char *reason_of(int error)
{
    return error == -ENOENT    ? "there is no such folder: make it with mkdir -m 700"
           : error == -ENOTDIR ? "it is not a folder: name a folder on a local disk"
                               : strerrordesc_np(-error);
}

/* Returns NULL if the folder is fit. */
static const char *objection(int fd, const struct stat *st)
{
    if (lod_file_system_is_network(fd)) {
        return "it is on a network file system or FUSE: name a folder on a local disk";
    }
    if (lod_file_system_is_kernel(fd)) {
        return "it is not on a local disk, but a view of the kernel: name a folder on a disk";
    }
    if (st->st_uid != geteuid()) {
        return "it belongs to another user: name a folder of your own";
    }
    return st->st_mode & OTHERS ? "other users can use it: close it to them with chmod 700" : NULL;
}

int lod_tier_folder_open(const char *folder, int *ret_fd, struct lod_why *why)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = fd < 0 ? -errno : 0;
    struct stat st;

    if (!error && fstat(fd, &st)) {
        error = -errno;
    }
    const char *against = error ? reason_of(error) : objection(fd, &st);
    if (!against) {
        *ret_fd = fd;
        return 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    return lod_refuse(why, error ? error : -EPERM, "-o tier_dir=%s: %s", folder, against);
}
