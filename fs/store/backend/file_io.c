/* SPDX-License-Identifier: Apache-2.0 */
/* Complete reads and writes of local files; see file_io.h. */
#include "backend/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int lod_file_pread(int fd, uint64_t offset, void *into, size_t bytes)
{
    uint8_t *at = into;

    if (offset > INT64_MAX || bytes > INT64_MAX - offset) {
        return -EIO;
    }
    while (bytes > 0) {
        ssize_t got = pread(fd, at, bytes, (off_t)offset);
        if (got < 0 && errno != EINTR) {
            return -errno;
        }
        if (got == 0) {
            return -EIO;
        }
        if (got > 0) {
            at += got;
            offset += (uint64_t)got;
            bytes -= (size_t)got;
        }
    }
    return 0;
}

int lod_file_read_all(int fd, void *into, size_t room, size_t *ret_bytes)
{
    size_t bytes = 0;
    ssize_t got = 1;

    while (got != 0 && bytes < room) {
        got = read(fd, (uint8_t *)into + bytes, room - bytes);
        if (got < 0 && errno != EINTR) {
            return -errno;
        }
        bytes += got > 0 ? (size_t)got : 0;
    }
    if (bytes == room) {
        return -E2BIG;
    }
    *ret_bytes = bytes;
    return 0;
}

int lod_file_pwrite(int fd, uint64_t offset, const void *from, size_t bytes)
{
    const uint8_t *at = from;

    if (offset > INT64_MAX || bytes > INT64_MAX - offset) {
        return -EFBIG;
    }
    while (bytes > 0) {
        ssize_t put = pwrite(fd, at, bytes, (off_t)offset);
        if (put < 0 && errno != EINTR) {
            return -errno;
        }
        if (put == 0) {
            return -EIO;
        }
        if (put > 0) {
            at += put;
            offset += (uint64_t)put;
            bytes -= (size_t)put;
        }
    }
    return 0;
}

#define SAME_STEP 4096u

int lod_file_same(int fd, uint64_t offset, const void *as, size_t bytes)
{
    uint8_t there[SAME_STEP];
    const uint8_t *at = as;

    while (bytes > 0) {
        const size_t step = bytes < SAME_STEP ? bytes : SAME_STEP;
        if (lod_file_pread(fd, offset, there, step) || memcmp(there, at, step) != 0) {
            return -ESTALE;
        }
        at += step;
        offset += step;
        bytes -= step;
    }
    return 0;
}

int lod_file_sync(int fd)
{
    while (fsync(fd) < 0) {
        if (errno != EINTR) {
            return -errno;
        }
    }
    return 0;
}

int lod_file_create(int dir_fd, const char *name, int *ret_fd)
{
    const mode_t mode = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
    int fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);

    if (fd < 0) {
        return -errno;
    }
    *ret_fd = fd;
    return 0;
}

int lod_file_sync_at(int dir_fd, const char *name)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int error = fd < 0 ? -errno : lod_file_sync(fd);

    lod_file_close(fd);
    return error;
}

int lod_file_write(int dir_fd, const char *name, const void *from, size_t bytes)
{
    int fd = -1;
    int error = lod_file_create(dir_fd, name, &fd);

    error = error ? error : lod_file_pwrite(fd, 0, from, bytes);
    error = error ? error : lod_file_sync(fd);
    lod_file_close(fd);
    return error;
}

bool lod_file_is_named(int fd, int dir_fd, const char *name, int flags)
{
    struct stat opened, named;

    return fstat(fd, &opened) == 0 && fstatat(dir_fd, name, &named, flags) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

void lod_file_close(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

DIR *lod_file_names(int fd)
{
    int names_fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = names_fd < 0 ? NULL : fdopendir(names_fd);

    if (!names) {
        lod_file_close(names_fd);
    }
    return names;
}
