/* SPDX-License-Identifier: Apache-2.0 */
/* See plant.h. */
#include "unpack/plant.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "open_store.h"

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int check_empty(int fd)
{
    int names_fd = openat(fd, ".", FOLDER_FLAGS);
    DIR *names = names_fd < 0 ? NULL : fdopendir(names_fd);
    const struct dirent *entry;
    int error = names ? 0 : -errno;

    if (!names && names_fd >= 0) {
        close(names_fd);
    }
    while (!error && (errno = 0, entry = readdir(names))) {
        bool dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        error = dots ? 0 : -ENOTEMPTY;
    }
    if (!error && errno) {
        error = -errno;
    }
    if (names) {
        closedir(names);
    }
    return error;
}

int lod_plant_open(const char *path, int *ret_fd)
{
    /* The folder itself is the user's choice, so it may be a link; nothing below it may. */
    if (mkdir(path, 0777) < 0 && errno != EEXIST) {
        return -errno;
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    int error = check_empty(fd);
    if (error) {
        close(fd);
        return error;
    }
    *ret_fd = fd;
    return 0;
}

void lod_plant_folder_init(struct lod_plant_folder *folder, int root_fd)
{
    *folder = (struct lod_plant_folder){.root_fd = root_fd, .fd = -1};
}

void lod_plant_folder_finish(struct lod_plant_folder *folder)
{
    if (folder->fd >= 0 && folder->fd != folder->root_fd) {
        close(folder->fd);
    }
    folder->fd = -1;
}

/* The folders from the root down to `node`, the root left out: their numbers in `way`. */
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
        number = node.parent; /* below its own: no cycle */
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

int lod_plant_enter(struct lod_plant_folder *folder, struct lod_index *index, uint32_t node,
                    bool *ret_index)
{
    uint32_t way[LOD_DEPTH_MAX];
    int fd = folder->root_fd;
    unsigned depth = 0;

    *ret_index = false;
    if (folder->fd >= 0 && folder->node == node) {
        return 0;
    }
    lod_plant_folder_finish(folder);
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
    times[1].tv_sec = (time_t)lod_mtime_seconds(mtime);
    times[1].tv_nsec = (long)lod_mtime_nanoseconds(mtime);
}

int lod_plant_set(int fd, const struct lod_node *node)
{
    struct timespec times[2];

    set_times(times, node->mtime);
    return fchmod(fd, node->mode & 0777) < 0 || futimens(fd, times) < 0 ? -errno : 0;
}

int lod_plant_link(int fd, const char *name, const char *target, const struct lod_node *node)
{
    struct timespec times[2];

    set_times(times, node->mtime);
    return symlinkat(target, fd, name) < 0 || utimensat(fd, name, times, AT_SYMLINK_NOFOLLOW) < 0
               ? -errno
               : 0;
}
