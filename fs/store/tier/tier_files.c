/* SPDX-License-Identifier: Apache-2.0 */
/* See tier_files.h. No link is followed, and nothing but a regular file is read. */
#include "tier/tier_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "backend/file_load.h"
#include "tier/tier_space.h"

#define KEY_DIGITS 16u
#define NAME_BYTES 64u

static void name_of(char name[NAME_BYTES], uint64_t key, uint64_t n)
{
    snprintf(name, NAME_BYTES, "%02x/%016" PRIx64 ".%" PRIu64, (unsigned)(key >> 56), key, n);
}

static int open_folder(int dir_fd, const char *name, int *ret_fd)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    *ret_fd = fd;
    return fd < 0 ? -errno : 0;
}

int lod_tier_files_open(int tier_fd, struct lod_id store_id, int *ret_fd)
{
    char name[LOD_ID_TEXT_BYTES];

    lod_id_text(store_id, name);
    if (mkdirat(tier_fd, name, S_IRWXU) && errno != EEXIST) {
        return -errno;
    }
    return open_folder(tier_fd, name, ret_fd);
}

/* Returns the size of a regular file. */
static int size_of(int fd, uint64_t *ret_bytes)
{
    struct stat st;

    if (fstat(fd, &st)) {
        return -errno;
    }
    *ret_bytes = (uint64_t)st.st_size;
    return S_ISREG(st.st_mode) ? 0 : -ENOENT;
}

/* A foreign thing in place of a slice is no slice, and no error of the disk. */
static int open_error(void)
{
    return errno == ELOOP || errno == ENXIO || errno == EISDIR || errno == ENOTDIR ? -ENOENT
                                                                                   : -errno;
}

uint64_t lod_tier_slice_bytes(int store_fd, uint64_t key, uint64_t n)
{
    char name[NAME_BYTES];
    struct stat st;

    name_of(name, key, n);
    return !fstatat(store_fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode)
               ? (uint64_t)st.st_size
               : 0;
}

static int read_open(int fd, uint64_t offset, void *into, size_t bytes, bool load)
{
    uint64_t there = 0;
    int error = size_of(fd, &there);

    if (error || offset > there || bytes > there - offset) {
        return error ? error : -ENOENT;
    }
    if (load) {
        return lod_file_load_private(fd, offset, into, bytes);
    }
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    return lod_file_pread(fd, offset, into, bytes);
}

int lod_tier_slice_read(int store_fd, uint64_t key, uint64_t n, uint64_t offset, void *into,
                        size_t bytes, bool load)
{
    char name[NAME_BYTES];

    name_of(name, key, n);
    int fd = openat(store_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return open_error();
    }
    int error = read_open(fd, offset, into, bytes, load);
    close(fd);
    return error;
}

/* Opens a slice for writing, after making its folder if necessary. */
static int open_slice(int store_fd, char name[NAME_BYTES])
{
    const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = openat(store_fd, name, flags, S_IRUSR | S_IWUSR);

    if (fd < 0 && errno == ENOENT) {
        char *slash = strchr(name, '/');
        *slash = '\0';
        const int made = mkdirat(store_fd, name, S_IRWXU);
        *slash = '/';
        fd = made && errno != EEXIST ? -1 : openat(store_fd, name, flags, S_IRUSR | S_IWUSR);
    }
    return fd < 0 ? open_error() : fd;
}

int lod_tier_slice_append(int store_fd, uint64_t key, uint64_t n, uint64_t offset, const void *from,
                          size_t bytes, size_t *ret_bytes)
{
    char name[NAME_BYTES];
    uint64_t there = 0, after = 0;

    *ret_bytes = 0;
    name_of(name, key, n);
    int fd = open_slice(store_fd, name);
    int error = fd < 0 ? fd : size_of(fd, &there);
    if (error == -ENOENT) {
        (void)unlinkat(store_fd, name, 0); /* a foreign thing in its place */
    }
    if (fd < 0) {
        return fd;
    }
    error = error ? error : there == offset ? 0 : -ESTALE;
    if (!error) {
        error = lod_file_pwrite(fd, offset, from, bytes);
        *ret_bytes = !size_of(fd, &after) && after > offset ? (size_t)(after - offset) : 0;
    }
    if (!error && *ret_bytes != bytes) {
        error = -EIO; /* another program writes to it */
    }
    close(fd);
    return error;
}

int lod_tier_slice_unlink(int store_fd, uint64_t key, uint64_t n, uint64_t *ret_bytes)
{
    char name[NAME_BYTES];

    *ret_bytes = lod_tier_slice_bytes(store_fd, key, n);
    name_of(name, key, n);
    return unlinkat(store_fd, name, 0) ? -errno : 0;
}

/* ---------------------------------------------------------------------------------- the sum */

static bool is_hex(const char *text, size_t digits)
{
    return strspn(text, "0123456789abcdef") == digits;
}

static bool is_slice(const char *name)
{
    const char *number = name + KEY_DIGITS + 1;

    return is_hex(name, KEY_DIGITS) && name[KEY_DIGITS] == '.' && *number &&
           strspn(number, "0123456789") == strlen(number);
}

struct sum {
    bool (*is_over)(void *ctx);
    void *ctx;
    uint64_t bytes;
};

static int add_folder(struct sum *sum, int dir_fd, const char *name, unsigned depth);

/* `depth` 0: the entry should be a store's folder, 1: a folder of slices, 2: a slice. */
static int add_entry(struct sum *sum, int fd, const char *name, unsigned depth)
{
    static const size_t digits[] = {LOD_ID_TEXT_BYTES - 1, 2};
    struct stat st;

    if (depth < 2) {
        const bool ours = is_hex(name, digits[depth]) && strlen(name) == digits[depth];
        return ours ? add_folder(sum, fd, name, depth + 1) : 0;
    }
    if (is_slice(name) && !fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode)) {
        sum->bytes += lod_tier_space_of((uint64_t)st.st_size);
    }
    return 0;
}

/* A folder that is gone, or no folder, adds nothing. */
static int add_folder(struct sum *sum, int dir_fd, const char *name, unsigned depth)
{
    const struct dirent *entry;
    int fd = -1, error = open_folder(dir_fd, name, &fd);

    if (error) {
        return error == -ENOENT || error == -ENOTDIR || error == -ELOOP ? 0 : error;
    }
    DIR *names = fdopendir(fd);
    if (!names) {
        close(fd);
        return -ENOMEM;
    }
    while (!error && (errno = 0, entry = readdir(names))) {
        error = sum->is_over(sum->ctx) ? -EINTR : add_entry(sum, fd, entry->d_name, depth);
    }
    error = error ? error : -errno;
    closedir(names);
    return error;
}

int lod_tier_files_sum(int tier_fd, bool (*is_over)(void *ctx), void *ctx, uint64_t *ret_bytes)
{
    struct sum sum = {.is_over = is_over, .ctx = ctx};
    int error = add_folder(&sum, tier_fd, ".", 0);

    *ret_bytes = sum.bytes;
    return error;
}
