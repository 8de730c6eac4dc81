/* SPDX-License-Identifier: Apache-2.0 */
/* See confined_dir.h. */
#include "unpack/confined_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/mtime.h"

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int lod_confined_dir_open(const char *path, int *ret_fd)
{
    /* The user chose the folder itself, so it may be a symbolic link.
     * Below it no link is followed. */
    if (mkdir(path, 0777) < 0 && errno != EEXIST) {
        return -errno;
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    *ret_fd = fd;
    return 0;
}

void lod_confined_dir_folder_init(struct lod_confined_dir_folder *folder, int root_fd)
{
    *folder = (struct lod_confined_dir_folder){.root_fd = root_fd, .fd = -1};
}

void lod_confined_dir_folder_finish(struct lod_confined_dir_folder *folder)
{
    if (folder->fd >= 0 && folder->fd != folder->root_fd) {
        close(folder->fd);
    }
    folder->fd = -1;
}

/* Writes the numbers of the folders from the root, which is left out, down to `node` into `way`. */
static int find_way(struct lod_index *index, uint32_t number, uint32_t way[LOD_DEPTH_MAX],
                    unsigned *ret_depth)
{
    struct lod_node node;
    unsigned depth = 0;

    while (number != 0) {
        int error = depth == LOD_DEPTH_MAX ? -EILSEQ : lod_index_node(index, number, &node);
        if (error) {
            return error;
        }
        way[depth++] = number;
        number = node.parent; /* always a lower number, so there is no cycle */
    }
    *ret_depth = depth;
    return 0;
}

static int step_down(struct lod_index *index, uint32_t number, int *fd, int root_fd,
                     bool *ret_index)
{
    char name[LOD_NAME_MAX + 1];
    struct lod_node node;

    int error = lod_index_node(index, number, &node);
    error = error ? error : lod_index_name(index, &node, name);
    *ret_index = error != 0;
    if (error) {
        return error;
    }
    int next = openat(*fd, name, FOLDER_FLAGS);
    error = next < 0 ? -errno : 0;
    if (*fd != root_fd) {
        close(*fd);
    }
    *fd = next;
    return error;
}

int lod_confined_dir_enter(struct lod_confined_dir_folder *folder, struct lod_index *index,
                           uint32_t node, bool *ret_index)
{
    uint32_t way[LOD_DEPTH_MAX];
    int fd = folder->root_fd;
    unsigned depth = 0;

    *ret_index = false;
    if (folder->fd >= 0 && folder->node == node) {
        return 0;
    }
    lod_confined_dir_folder_finish(folder);
    int error = find_way(index, node, way, &depth);
    *ret_index = error != 0;
    while (!error && depth > 0) {
        error = step_down(index, way[--depth], &fd, folder->root_fd, ret_index);
    }
    if (!error) {
        folder->fd = fd;
        folder->node = node;
    } else if (fd >= 0 && fd != folder->root_fd) {
        close(fd);
    }
    return error;
}

static void set_times(struct timespec times[2], int64_t mtime)
{
    times[0] = (struct timespec){.tv_nsec = UTIME_OMIT};
    times[1] = lod_mtime_time(mtime);
}

int lod_confined_dir_set(int fd, const struct lod_node *node)
{
    struct timespec times[2];

    set_times(times, node->mtime);
    return fchmod(fd, node->mode & 0777) < 0 || futimens(fd, times) < 0 ? -errno : 0;
}

int lod_confined_dir_open_up(int fd, const char *name)
{
    char path[64];
    int folder = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (folder < 0) {
        return -errno;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d",
             folder); /* the open folder, even if it is renamed */
    int error = chmod(path, 0700) < 0 ? -errno : 0;
    close(folder);
    return error;
}

static bool leads_to(int fd, const char *name, const char *target)
{
    char found[LOD_TARGET_MAX + 1];
    ssize_t bytes = readlinkat(fd, name, found, sizeof(found));

    return bytes == (ssize_t)strlen(target) && memcmp(found, target, strlen(target)) == 0;
}

int lod_confined_dir_link(int fd, const char *name, const char *target, const struct lod_node *node)
{
    struct timespec times[2];

    set_times(times, node->mtime);
    if (symlinkat(target, fd, name) < 0 && (errno != EEXIST || !leads_to(fd, name, target))) {
        return -errno;
    }
    return utimensat(fd, name, times, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}
