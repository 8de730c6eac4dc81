/* SPDX-License-Identifier: Apache-2.0 */
/* See tier_files.h. No link is followed, and nothing but a regular file is read. */
#include "tier/tier_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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

static int state_of(int fd, struct stat *ret_st)
{
    return fstat(fd, ret_st) ? -errno : S_ISREG(ret_st->st_mode) ? 0 : -ENOENT;
}

/* Returns the size of a regular file. */
static int size_of(int fd, uint64_t *ret_bytes)
{
    struct stat st = {0};
    int error = state_of(fd, &st);

    *ret_bytes = (uint64_t)st.st_size;
    return error;
}

/* Marks a slice as used, at most once a minute. */
static void note_use(int fd, const struct stat *st)
{
    const int64_t age = time(NULL) - st->st_mtim.tv_sec;

    if (age < 0 || age > LOD_TIER_USED_S) {
        (void)futimens(fd, NULL);
    }
}

/*
 * If something else stands in place of a slice, the slice is missing. That is no error of the disk.
 */
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
    struct stat st = {0};
    int error = state_of(fd, &st);
    const uint64_t there = (uint64_t)st.st_size;

    if (error || offset > there || bytes > there - offset) {
        return error ? error : -ENOENT;
    }
    note_use(fd, &st);
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
        (void)unlinkat(store_fd, name, 0); /* something else stands in its place */
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

void lod_tier_slice_unused(int store_fd, uint64_t key, uint64_t n)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 0}};
    char name[NAME_BYTES];

    name_of(name, key, n);
    (void)utimensat(store_fd, name, times, AT_SYMLINK_NOFOLLOW);
}

/* ---------------------------------------------------------------------------------- all slices */

static bool is_hex(const char *text, size_t digits)
{
    return strspn(text, "0123456789abcdef") == digits;
}

/* Takes the numbers of a slice from its name. */
static bool take_name(const char *name, struct lod_tier_slice *slice)
{
    const char *number = name + KEY_DIGITS + 1;

    if (!is_hex(name, KEY_DIGITS) || name[KEY_DIGITS] != '.' || !*number ||
        strspn(number, "0123456789") != strlen(number)) {
        return false;
    }
    slice->key = strtoull(name, NULL, 16);
    slice->n = strtoull(number, NULL, 10);
    return true;
}

struct walk {
    lod_tier_slice_each each;
    void *ctx;
    struct lod_tier_slice slice;
};

static int walk_folder(struct walk *walk, int dir_fd, const char *name, unsigned depth);

/* `depth` 0: the entry should be a store's folder, 1: a folder of slices, 2: a slice. */
static int walk_entry(struct walk *walk, int fd, const char *name, unsigned depth)
{
    static const size_t digits[] = {LOD_ID_TEXT_BYTES - 1, 2};
    struct lod_tier_slice *slice = &walk->slice;
    struct stat st;

    if (depth < 2) {
        if (!is_hex(name, digits[depth]) || strlen(name) != digits[depth]) {
            return 0;
        }
        if (depth == 0) {
            memcpy(slice->store, name, sizeof(slice->store));
        }
        return walk_folder(walk, fd, name, depth + 1);
    }
    if (!take_name(name, slice) || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(st.st_mode)) {
        return 0;
    }
    slice->bytes = (uint64_t)st.st_size;
    slice->used_s = st.st_mtim.tv_sec;
    return walk->each(walk->ctx, slice);
}

/* Visits the slices below a folder. If it was removed meanwhile, or is no folder,
 * there are none. */
static int walk_folder(struct walk *walk, int dir_fd, const char *name, unsigned depth)
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
        error = walk_entry(walk, fd, entry->d_name, depth);
    }
    error = error ? error : -errno;
    closedir(names);
    return error;
}

int lod_tier_files_each(int tier_fd, lod_tier_slice_each each, void *ctx)
{
    struct walk walk = {.each = each, .ctx = ctx};

    return walk_folder(&walk, tier_fd, ".", 0);
}

int lod_tier_slice_evict_first(int tier_fd, const struct lod_tier_slice *slice, uint64_t *ret_bytes)
{
    char name[LOD_ID_TEXT_BYTES + NAME_BYTES];
    struct stat st;

    snprintf(name, sizeof(name), "%s/", slice->store);
    name_of(name + strlen(name), slice->key, slice->n);
    if (fstatat(tier_fd, name, &st, AT_SYMLINK_NOFOLLOW)) {
        return -errno;
    }
    if (!S_ISREG(st.st_mode) || st.st_mtim.tv_sec != slice->used_s) {
        return -ESTALE;
    }
    *ret_bytes = (uint64_t)st.st_size;
    return unlinkat(tier_fd, name, 0) ? -errno : 0;
}
