/* SPDX-License-Identifier: Apache-2.0 */
/* Where a folder lies; see folder_place.h. Device and inode decide, so links and bind mounts of
 * paths do not matter. */
#include "backend/folder_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/file_io.h"

#define PARENTS_MAX  65536 /* limit of steps upward from a folder to the root */
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

static int open_parent(const char *path, int *ret_fd)
{
    char *copy = strdup(path);
    if (!copy) {
        return -ENOMEM;
    }
    size_t bytes = strlen(copy);
    while (bytes > 1 && copy[bytes - 1] == '/') {
        copy[--bytes] = '\0';
    }
    char *slash = strrchr(copy, '/');
    if (slash) {
        slash[slash == copy] = '\0';
    }
    int fd = open(slash ? copy : ".", FOLDER_FLAGS);
    int error = fd < 0 ? -errno : 0;
    free(copy);
    if (!error) {
        *ret_fd = fd;
    }
    return error;
}

int lod_folder_open(const char *path, int *ret_fd, bool *ret_exists)
{
    int fd = open(path, FOLDER_FLAGS);

    *ret_exists = fd >= 0 || errno != ENOENT;
    if (fd >= 0) {
        *ret_fd = fd;
        return 0;
    }
    return *ret_exists ? -errno : open_parent(path, ret_fd);
}

int lod_folder_is_inside(int inner_fd, const struct stat *outer, bool *ret_inside)
{
    struct stat st, before = {0};
    int fd = fcntl(inner_fd, F_DUPFD_CLOEXEC, 0);
    int error = fd < 0 ? -errno : 0;

    *ret_inside = false;
    for (unsigned i = 0; !error && i < PARENTS_MAX && !*ret_inside; i++) {
        if (fstat(fd, &st)) {
            error = -errno;
            break;
        }
        if (i && st.st_dev == before.st_dev && st.st_ino == before.st_ino) {
            break; /* the root is its own parent */
        }
        *ret_inside = st.st_dev == outer->st_dev && st.st_ino == outer->st_ino;
        before = st;
        int up = openat(fd, "..", FOLDER_FLAGS);
        error = up < 0 ? -errno : 0;
        close(fd);
        fd = up;
    }
    lod_file_close(fd);
    return error;
}
