/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The back end for a local folder: objects are regular files read by pread. Symbolic links inside
 * the store are not followed; the location itself may be one.
 *
 * A load goes past the page cache (O_DIRECT) unless the bytes are in it already: who loads keeps
 * what came, so that it is in memory once, and a device gets requests of the memory it is to fill
 * instead of one a few of the page cache's scattered pages.
 */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store/file_io.h"

/* A state is the file descriptor of a folder or a file. */
struct handle {
    int fd;
    bool exactly;    /* a folder's: its files get no reading ahead */
    bool page_cache; /* loads go through it */
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

static int dir_open(const char *location, void **ret_state)
{
    int fd = open(location, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 ? -errno : handle_create(fd, ret_state);
}

/*
 * Opens the folders of `name` one by one, so that none of them may be a link, then the last part
 * with `last` added to the flags.
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
        if (folder >= 0) {
            close(folder);
        }
        if (fd < 0) {
            return -error;
        }
        folder = fd;
    }
    fd = openat(folder < 0 ? dir_fd : folder, name, flags | last);
    int error = errno;
    if (folder >= 0) {
        close(folder);
    }
    if (fd < 0) {
        return -error;
    }
    *ret_fd = fd;
    return 0;
}

static int object_open(void *state, const char *name, void **ret_object, uint64_t *ret_bytes)
{
    const struct handle *dir = state;
    struct stat st;
    int fd = -1;

    /* O_NONBLOCK: a fifo in the place of a file must not hang us; it means nothing to a file. */
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
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM); /* advice: it may be refused */
    }
    error = handle_create(fd, ret_object);
    if (!error) {
        struct handle *file = *ret_object;
        file->page_cache = dir->page_cache;
        *ret_bytes = (uint64_t)st.st_size;
    }
    return error;
}

static void read_exactly(void *state, bool page_cache)
{
    struct handle *dir = state;

    dir->exactly = true;
    dir->page_cache = page_cache;
}

static int object_pread(void *object, uint64_t offset, void *into, size_t bytes)
{
    const struct handle *file = object;

    return lod_file_pread(file->fd, offset, into, bytes);
}

/* ----------------------------------------------------------------- past the page cache */

/* cachestat(2), Linux 6.5: newer than the headers this is built with. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* Is most of it in the page cache? An older kernel does not say: no. */
static bool is_cached(int fd, uint64_t offset, size_t bytes)
{
    struct {
        uint64_t offset, bytes;
    } range = {offset, bytes};
    struct {
        uint64_t cached, dirty, writeback, evicted, recently_evicted;
    } pages = {0};

    return syscall(SYS_cachestat, fd, &range, &pages, 0) == 0 &&
           pages.cached * (uint64_t)sysconf(_SC_PAGESIZE) > bytes / 2;
}

/* The same file opened once more, however it is called by now; kept open it would cost a descriptor
 * for each record. -1: it cannot be. */
static int open_direct(int fd)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
}

/* Asks for whole blocks, so that the end of the file may come earlier. */
static int load_direct(int fd, uint64_t offset, uint8_t *into, size_t bytes)
{
    const size_t whole = lod_load_whole(bytes);
    size_t done = 0;

    while (done < bytes) {
        ssize_t got = pread(fd, into + done, whole - done, (off_t)(offset + done));
        if (got < 0 && errno != EINTR) {
            return -errno;
        }
        if (got == 0 || (got > 0 && got % LOD_LOAD_ALIGN && done + (size_t)got < bytes)) {
            return -EIO;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

static int object_load(void *object, uint64_t offset, void *into, size_t bytes)
{
    const struct handle *file = object;
    bool past = !file->page_cache && !is_cached(file->fd, offset, bytes);
    int fd = past ? open_direct(file->fd) : -1, error = -EINVAL;

    if (fd >= 0) {
        error = load_direct(fd, offset, into, bytes);
        close(fd);
    }
    return error == -EINVAL ? object_pread(object, offset, into, bytes) : error;
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
    .read_exactly = read_exactly,
};
