/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The back end for a local folder: objects are regular files, read by pread. Symbolic links inside
 * the store are not followed; the location itself may be one.
 *
 * Loads of a shared store go through the page cache, so that the next mount finds their bytes in
 * memory. Other loads bypass it (O_DIRECT), unless the bytes are in it already: the caller keeps
 * them, so they are in memory once.
 */
#include "backend/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "backend/file_load.h"
#include "backend/file_system.h"

#define NETWORK_LOADS 4u

/* The state of a folder or file: its descriptor. */
struct handle {
    int fd;
    bool exactly; /* for a folder: its files get no readahead */
    bool shared;  /* loads go through the page cache */
};

static int handle_create(int fd, void **ret_handle)
{
    struct handle *handle = malloc(sizeof(*handle));

    if (!handle) {
        close(fd);
        return -ENOMEM;
    }
    *handle = (struct handle){.fd = fd};
    *ret_handle = handle;
    return 0;
}

static void handle_destroy(void *state)
{
    struct handle *handle = state;

    close(handle->fd);
    free(handle);
}

static int matches(const char *location)
{
    (void)location;
    return 1;
}

static int dir_open(const char *location, const struct lod_store_settings *settings,
                    void **ret_state, struct lod_why *why)
{
    int fd = open(location, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    /* The settings may come from the environment, so a folder that exists is opened. */
    if (fd < 0 && errno == ENOENT && lod_store_settings_for_s3(settings)) {
        return lod_refuse(why, -EINVAL, "%s", LOD_ONLY_S3);
    }
    return fd < 0 ? -errno : handle_create(fd, ret_state);
}

/*
 * Opens the folders of `name` one by one, so that none can be a link, then the last part with
 * `last` added to the flags.
 */
static int open_below(int dir_fd, const char *name, int last, int *ret_fd)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC;
    char part[LOD_OBJECT_NAME_MAX + 1];
    int folder = -1, fd;

    for (const char *slash; (slash = strchr(name, '/')); name = slash + 1) {
        size_t bytes = (size_t)(slash - name);
        memcpy(part, name, bytes);
        part[bytes] = '\0';
        fd = openat(folder < 0 ? dir_fd : folder, part, flags | O_DIRECTORY);
        int error = errno;
        lod_file_close(folder);
        if (fd < 0) {
            return -error;
        }
        folder = fd;
    }
    fd = openat(folder < 0 ? dir_fd : folder, name, flags | last);
    int error = errno;
    lod_file_close(folder);
    if (fd < 0) {
        return -error;
    }
    *ret_fd = fd;
    return 0;
}

/* fstat(2) returns the size at almost no cost, so no facts are needed. */
static int object_open(void *state, const char *name, const struct lod_object_facts *facts,
                       void **ret_object, uint64_t *ret_bytes)
{
    const struct handle *dir = state;
    struct stat st;
    int fd = -1;

    (void)facts;
    /* O_NONBLOCK has no effect on files; without it, a fifo in place of a file would block. */
    int error = open_below(dir->fd, name, O_NONBLOCK, &fd);
    if (error) {
        return error;
    }
    if (fstat(fd, &st) < 0) {
        error = -errno;
    } else if (!S_ISREG(st.st_mode) || st.st_size < 0) {
        error = -EIO;
    }
    if (error) {
        close(fd);
        return error;
    }
    if (dir->exactly) {
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM); /* only advice: errors are ignored */
    }
    error = handle_create(fd, ret_object);
    if (!error) {
        struct handle *file = *ret_object;
        file->shared = dir->shared;
        *ret_bytes = (uint64_t)st.st_size;
    }
    return error;
}

static void read_exactly(void *state, bool shared)
{
    struct handle *dir = state;

    dir->exactly = true;
    dir->shared = shared;
}

static bool is_shared(const void *state)
{
    const struct handle *dir = state;

    return dir->shared;
}

static int object_pread(void *object, uint64_t offset, void *into, size_t bytes)
{
    const struct handle *file = object;
    ssize_t got = pread(file->fd, into, bytes, (off_t)offset);

    if (got < 0 && errno != EINTR) {
        return -errno; /* a failed request is not repeated: each try may take seconds */
    }
    return got == (ssize_t)bytes ? 0 : lod_file_pread(file->fd, offset, into, bytes);
}

static int object_load(void *object, uint64_t offset, void *into, size_t bytes,
                       enum lod_read_class class, unsigned parts, struct lod_read_time *ret_time)
{
    const struct handle *file = object;

    (void)class;
    (void)parts;
    (void)ret_time;
    return (file->shared ? lod_file_load_shared : lod_file_load_private)(file->fd, offset, into,
                                                                         bytes);
}

static int object_in_memory(void *object, uint64_t offset, size_t bytes, bool *ret_is)
{
    const struct handle *file = object;

    return lod_file_in_memory(file->fd, offset, bytes, ret_is);
}

/* Several loads in flight hide the latency of a network.
 * On a disk a second load slows both. */
static unsigned loads(const void *state)
{
    const struct handle *dir = state;

    return lod_file_system_is_network(dir->fd) ? NETWORK_LOADS : 1;
}

static bool is_folder(int dir_fd, const struct dirent *entry)
{
    struct stat st;

    if (entry->d_type != DT_UNKNOWN) {
        return entry->d_type == DT_DIR;
    }
    return fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int list(void *state, const char *folder, lod_store_each each, void *ctx)
{
    const struct handle *dir = state;
    const struct dirent *entry;
    int fd = -1;

    int error = open_below(dir->fd, folder, O_DIRECTORY, &fd);
    if (error) {
        return error;
    }
    DIR *names = fdopendir(fd);
    if (!names) {
        error = -errno;
        close(fd);
        return error;
    }
    while (!error && (errno = 0, entry = readdir(names))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            error = each(ctx, entry->d_name, is_folder(fd, entry));
        }
    }
    if (!error && errno) {
        error = -errno;
    }
    closedir(names);
    return error;
}

const struct lod_store_backend lod_store_dir = {
    .name = "dir",
    .matches = matches,
    .open = dir_open,
    .close = handle_destroy,
    .list = list,
    .object_open = object_open,
    .object_close = handle_destroy,
    .object_pread = object_pread,
    .object_load = object_load,
    .loads = loads,
    .read_exactly = read_exactly,
    .is_shared = is_shared,
    .object_in_memory = object_in_memory,
};
