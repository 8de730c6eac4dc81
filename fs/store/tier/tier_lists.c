/* SPDX-License-Identifier: Apache-2.0 */
/* A file is written in place: a hash of the rest, then each key and its bytes, little-endian. See
 * tier_lists.h. */
#include "tier/tier_lists.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "bytes.h"
#include "hash.h"

#define FOLDER     "lists"
#define NAME_CHARS 16u
#define HASH_BYTES 8u
#define KEY_BYTES  16u /* with the bytes of its object */

/* ---------------------------------------------------------------------------------- keys */

static int compare(const void *a, const void *b)
{
    const struct lod_listed *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

const struct lod_listed *lod_tier_keys_find(const struct lod_tier_keys *keys, uint64_t key)
{
    const struct lod_listed wanted = {.key = key};

    return keys->count ? bsearch(&wanted, keys->at, keys->count, sizeof(wanted), compare) : NULL;
}

bool lod_tier_keys_has(const struct lod_tier_keys *keys, uint64_t key)
{
    return lod_tier_keys_find(keys, key);
}

void lod_tier_keys_sort(struct lod_tier_keys *keys)
{
    size_t kept = 0;

    if (keys->count) {
        qsort(keys->at, keys->count, sizeof(*keys->at), compare);
    }
    for (size_t i = 0; i < keys->count; i++) {
        const struct lod_listed at = keys->at[i];
        if (!kept || keys->at[kept - 1].key != at.key) {
            keys->at[kept++] = at;
        } else if (at.bytes > keys->at[kept - 1].bytes) {
            keys->at[kept - 1].bytes = at.bytes;
        }
    }
    keys->count = kept;
}

/* ---------------------------------------------------------------------------------- own file */

void lod_tier_lists_init(struct lod_tier_lists *lists, int tier_fd)
{
    uint64_t number = 0;

    *lists = (struct lod_tier_lists){.tier_fd = tier_fd, .fd = -1};
    if (getrandom(&number, sizeof(number), 0) == sizeof(number)) {
        snprintf(lists->name, sizeof(lists->name), "%016" PRIx64, number);
    }
}

/* Each use opens the folder, which may have been removed and made again. Returns its descriptor;
 * -ENOENT: there is none. */
static int open_folder(const struct lod_tier_lists *lists)
{
    const int fd = openat(lists->tier_fd, FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

/* Returns whether this mount has a file, in this folder. */
static bool has_file(const struct lod_tier_lists *lists, int folder_fd)
{
    return lists->fd >= 0 &&
           lod_file_is_named(lists->fd, folder_fd, lists->name, AT_SYMLINK_NOFOLLOW);
}

void lod_tier_lists_finish(struct lod_tier_lists *lists)
{
    const int folder_fd = lists->fd < 0 ? -1 : open_folder(lists);

    if (folder_fd >= 0 && has_file(lists, folder_fd)) {
        (void)unlinkat(folder_fd, lists->name, 0);
    }
    lod_file_close(folder_fd);
    lod_file_close(lists->fd);
    lists->fd = -1;
}

/*
 * Other mounts remove files without a lock, since those belong to dead mounts. So the file is
 * created under a name that they ignore, and renamed once it has its lock.
 */
static int make_file(struct lod_tier_lists *lists, int folder_fd)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    char hidden[sizeof(lists->name) + 1];

    if (!lists->name[0]) {
        return -EIO;
    }
    snprintf(hidden, sizeof(hidden), "%s~", lists->name);
    int fd = openat(folder_fd, hidden, flags, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        return -errno;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) || renameat(folder_fd, hidden, folder_fd, lists->name)) {
        const int error = -errno;
        (void)unlinkat(folder_fd, hidden, 0);
        close(fd);
        return error;
    }
    lod_file_close(lists->fd);
    lists->fd = fd;
    return 0;
}

/* Makes the folder and the file of this mount, unless they are there. */
static int ready(struct lod_tier_lists *lists)
{
    if (mkdirat(lists->tier_fd, FOLDER, S_IRWXU) && errno != EEXIST) {
        return -errno;
    }
    const int folder_fd = open_folder(lists);
    if (folder_fd < 0) {
        return folder_fd;
    }
    const int error = has_file(lists, folder_fd) ? 0 : make_file(lists, folder_fd);
    close(folder_fd);
    return error;
}

int lod_tier_lists_write(struct lod_tier_lists *lists, const struct lod_tier_keys *keys,
                         size_t count)
{
    const size_t bytes = HASH_BYTES + count * KEY_BYTES;

    if (!count && lists->fd < 0) {
        return 0;
    }
    uint8_t *text = malloc(bytes);
    if (!text) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        lod_put_le64(text + HASH_BYTES + i * KEY_BYTES, keys->at[i].key);
        lod_put_le64(text + HASH_BYTES + i * KEY_BYTES + 8, keys->at[i].bytes);
    }
    lod_put_le64(text, lod_hash64(text + HASH_BYTES, count * KEY_BYTES, 0));
    int error = ready(lists);
    error = error ? error : lod_file_pwrite(lists->fd, 0, text, bytes);
    error = error ? error : ftruncate(lists->fd, (off_t)bytes) ? -errno : 0;
    free(text);
    return error;
}

/* ---------------------------------------------------------------------------------- others */

static int add_keys(struct lod_tier_keys *keys, const uint8_t *text, size_t bytes)
{
    int error = 0;

    if (lod_hash64(text + HASH_BYTES, bytes - HASH_BYTES, 0) != lod_get_le64(text)) {
        return -EAGAIN;
    }
    for (const uint8_t *at = text + HASH_BYTES; !error && at < text + bytes; at += KEY_BYTES) {
        error = LOD_LIST_ADD(keys, (struct lod_listed){lod_get_le64(at), lod_get_le64(at + 8)});
    }
    return error;
}

/* A file that was just made is empty. */
static int read_keys(struct lod_tier_keys *keys, int fd)
{
    struct stat st;

    if (fstat(fd, &st)) {
        return -errno;
    }
    const uint64_t bytes = (uint64_t)st.st_size;
    if (!bytes) {
        return 0;
    }
    if (bytes % KEY_BYTES != HASH_BYTES || bytes > HASH_BYTES + LOD_TIER_LISTED_MAX * KEY_BYTES) {
        return -EAGAIN;
    }
    uint8_t *text = malloc(bytes);
    int error = text ? lod_file_pread(fd, 0, text, bytes) : -ENOMEM;
    error = error ? error : add_keys(keys, text, bytes);
    free(text);
    return error == -EIO ? -EAGAIN : error; /* it became shorter */
}

static int add_file(struct lod_tier_keys *keys, int folder_fd, const char *name)
{
    struct stat st;
    int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        lod_file_close(fd);
        return 0; /* its mount has ended, or it is something else */
    }
    int error = 0;
    if (!flock(fd, LOCK_SH | LOCK_NB)) {
        (void)unlinkat(folder_fd, name, 0);
    } else {
        error = read_keys(keys, fd);
    }
    close(fd);
    return error;
}

static bool is_other(const struct lod_tier_lists *lists, const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_CHARS && !name[NAME_CHARS] &&
           strcmp(name, lists->name) != 0;
}

int lod_tier_lists_others(struct lod_tier_lists *lists, struct lod_tier_keys *ret_keys)
{
    struct lod_tier_keys keys = {0};
    const struct dirent *entry;
    unsigned files = 0;
    int error = 0;
    const int folder_fd = open_folder(lists);
    DIR *names = folder_fd < 0 ? NULL : fdopendir(folder_fd);

    if (!names) {
        error = folder_fd < 0 ? folder_fd : -errno;
        lod_file_close(folder_fd);
        *ret_keys = keys;
        return error == -ENOENT ? 0 : error;
    }
    while (!error && (errno = 0, entry = readdir(names))) {
        if (is_other(lists, entry->d_name)) {
            error =
                ++files > LOD_TIER_LISTS_MAX ? -E2BIG : add_file(&keys, folder_fd, entry->d_name);
        }
    }
    error = error ? error : -errno;
    closedir(names);
    lod_tier_keys_sort(&keys);
    if (error) {
        free(keys.at);
        return error;
    }
    *ret_keys = keys;
    return 0;
}
