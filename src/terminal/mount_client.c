/* SPDX-License-Identifier: Apache-2.0 */
/* See mount_client.h. */
#include "terminal/mount_client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/mountpoint.h"
#include "terminal/cmd.h"

static int failed(const char *mount, int error)
{
    const char *why = error == -EPERM || error == -EACCES
                          ? "not permitted; only root and the user who mounted it may do this"
                      : error == -ENOTCONN ? "its daemon is gone; unmount it and mount it again"
                      : error == -ENODEV   ? "no lodfs is mounted there"
                                           : strerror(-error);

    return lod_fail(error, "%pE: %s", mount, why);
}

/* Returns -ENODEV if no lodfs is mounted there. */
static int open_file(const char *mount, const char *file, int *ret_fd)
{
    char path[PATH_MAX], whole[PATH_MAX + 16];
    int error = lod_mountpoint_resolve(mount, path);

    if (error) {
        return error;
    }
    if (!lod_mountpoint_is_lodfs(path)) {
        return -ENODEV;
    }
    snprintf(whole, sizeof(whole), "%s/.lodfs/%s", path, file);
    *ret_fd = open(whole, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    return *ret_fd < 0 ? -errno : 0;
}

int lod_mount_client_open(const char *mount, const char *file, int *ret_fd)
{
    int error = open_file(mount, file, ret_fd);

    return error ? failed(mount, error) : 0;
}

int lod_mount_client_set(int fd, const char *mount, enum lod_fidelity fidelity)
{
    uint32_t number = fidelity;

    return ioctl(fd, LOD_IOC_SET_AUTO, &number) ? failed(mount, -errno) : 0;
}

/* Sends one request. */
static int send_ahead(int fd, const struct lod_ahead_request *request,
                      struct lod_ahead_answer *ret_answer)
{
    uint8_t bytes[LOD_AHEAD_BYTES];
    int error = lod_ahead_request_write(request, bytes);

    if (error) {
        return error;
    }
    if (ioctl(fd, LOD_IOC_AHEAD, bytes)) {
        return -errno;
    }
    lod_ahead_answer_read(bytes, ret_answer);
    return 0;
}

int lod_mount_client_ahead(int fd, const struct lod_ahead_request *request,
                           struct lod_ahead_answer *ret_answer)
{
    struct lod_ahead_request part = *request;
    uint32_t sent = 0;
    int error;

    do {
        const uint32_t left = request->count - sent;
        part.at = request->at + sent;
        part.records = request->count ? request->records + sent : NULL;
        part.count = left < LOD_AHEAD_REQUEST_RECORDS ? left : LOD_AHEAD_REQUEST_RECORDS;
        part.done = request->done < part.at + part.count ? request->done : part.at + part.count;
        part.done = part.count == left
                        ? request->done
                        : part.done; /* the daemon checks `done` against the end of the list, so
                                        only the last request has all of it */
        error = send_ahead(fd, &part, ret_answer);
        sent += part.count;
    } while (!error && sent < request->count);
    return error;
}

int lod_mount_client_look(const char *mount, const char *file, char **ret_text)
{
    struct stat st;
    size_t used = 0;
    ssize_t got = 1;
    int fd = -1, error = open_file(mount, file, &fd);

    if (error) {
        return error;
    }
    char *text = fstat(fd, &st) == 0 ? calloc(1, (size_t)st.st_size + 1) : NULL;
    while (text && got > 0 && used < (size_t)st.st_size) {
        got = read(fd, text + used, (size_t)st.st_size - used);
        used += got > 0 ? (size_t)got : 0;
    }
    error = text && got >= 0 ? 0 : -errno;
    close(fd);
    if (error) {
        free(text);
        return error;
    }
    *ret_text = text;
    return 0;
}

int lod_mount_client_text(const char *mount, const char *file, char **ret_text)
{
    int error = lod_mount_client_look(mount, file, ret_text);

    return error ? failed(mount, error) : 0;
}
