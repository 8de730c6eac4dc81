/* SPDX-License-Identifier: Apache-2.0 */
/* See unfinished.h. */
#include "unpack/unfinished.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "backend/file_io.h"

#define BOOT_FILE  "/proc/sys/kernel/random/boot_id"
#define BOOT_BYTES 64
#define NAME_TRIES 16u

int lod_unfinished_name(struct lod_index *index, const struct lod_node *folder, uint32_t number,
                        char name[LOD_NAME_MAX + 1])
{
    struct lod_node taken;

    for (unsigned i = 0; i < NAME_TRIES; i++) {
        int used =
            snprintf(name, LOD_NAME_MAX + 1, LOD_UNFINISHED_NAME ".%" PRIu32 ".%u", number, i);
        name[number || i ? used : (int)strlen(LOD_UNFINISHED_NAME)] = '\0';
        int error = lod_index_lookup(index, folder, name, strlen(name), &taken);
        if (error) { /* in a damaged index any name may be in use */
            return error == -ENOMEM ? error : 0;
        }
    }
    return -EEXIST;
}

/* Reads the boot id; "" if it cannot be read, which counts as another boot each time. */
static void read_boot(char boot[BOOT_BYTES])
{
    int fd = open(BOOT_FILE, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, boot, BOOT_BYTES - 1);

    boot[got > 0 ? got : 0] = '\0';
    lod_file_close(fd);
}

/* Finds out whether the folder has other names than this one. */
static int has_others(int root_fd, const char *name, bool *ret_others)
{
    DIR *names = lod_file_names(root_fd);
    const struct dirent *entry;
    int error = names ? 0 : -errno;

    *ret_others = false;
    while (!error && !*ret_others && (errno = 0, entry = readdir(names))) {
        *ret_others = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                      strcmp(entry->d_name, name) != 0;
    }
    error = error ? error : *ret_others ? 0 : -errno;
    if (names) {
        closedir(names);
    }
    return error;
}

static int write_mark(int fd, const char *text)
{
    size_t bytes = strlen(text);

    if (ftruncate(fd, 0) < 0) {
        return -errno;
    }
    ssize_t wrote = pwrite(fd, text, bytes, 0);
    return wrote < 0 ? -errno : (size_t)wrote == bytes ? 0 : -ENOSPC;
}

/* The folder has other names: it is continued if the mark is that of the same unpack. */
static int take_mark(struct lod_unfinished *unfinished, size_t what_bytes)
{
    const char *text = unfinished->text;
    char found[LOD_UNFINISHED_BYTES];
    ssize_t got = pread(unfinished->fd, found, sizeof(found) - 1, 0);

    if (got < 0) {
        return -errno;
    }
    found[got] = '\0';
    if (strncmp(found, text, what_bytes) != 0) {
        return -EEXIST;
    }
    unfinished->resumed = true;
    unfinished->rebooted = text[what_bytes] == '\0' || strcmp(found, text) != 0;
    return 0;
}

/* Opens or makes the mark. *ret_made: the mark is new. */
static int open_mark(int root_fd, struct lod_unfinished *unfinished, bool others)
{
    unfinished->fd = openat(root_fd, unfinished->name,
                            O_RDWR | O_NOFOLLOW | O_CLOEXEC | (others ? 0 : O_CREAT), 0600);
    if (unfinished->fd < 0) {
        return errno == ENOENT || errno == ELOOP ? -ENOTEMPTY : -errno;
    }
    if (flock(unfinished->fd, LOCK_EX | LOCK_NB) < 0) {
        return errno == EWOULDBLOCK ? -EBUSY : -errno;
    }
    return 0;
}

int lod_unfinished_begin(int root_fd, struct lod_index *index, const char *what,
                         struct lod_unfinished *ret_unfinished)
{
    struct lod_unfinished unfinished = {.fd = -1};
    char boot[BOOT_BYTES];
    struct lod_node root = {0};
    bool others = false;

    read_boot(boot);
    snprintf(unfinished.text, sizeof(unfinished.text), "%s\n%s", what, boot);
    int error = lod_index_node(index, 0, &root);
    error = error == -ENOMEM ? error : lod_unfinished_name(index, &root, 0, unfinished.name);
    error = error ? error : has_others(root_fd, unfinished.name, &others);
    error = error ? error : open_mark(root_fd, &unfinished, others);
    /* A mark that was found is not rewritten: its boot id shows later runs that files were written
     * before a reboot. */
    if (!error) {
        error = others ? take_mark(&unfinished, strlen(what) + 1)
                       : write_mark(unfinished.fd, unfinished.text);
    }
    if (error) {
        lod_file_close(unfinished.fd);
        return error;
    }
    *ret_unfinished = unfinished;
    return 0;
}

bool lod_unfinished_remove(const struct lod_unfinished *unfinished, int root_fd, bool if_alone)
{
    bool others = false;

    return (!if_alone || (has_others(root_fd, unfinished->name, &others) == 0 && !others)) &&
           unlinkat(root_fd, unfinished->name, 0) == 0;
}

void lod_unfinished_restore(struct lod_unfinished *unfinished, int root_fd)
{
    int fd = openat(root_fd, unfinished->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_CREAT, 0600);

    if (fd >= 0) {
        int error = write_mark(fd, unfinished->text);
        (void)error; /* there is another mark already */
        close(fd);
    }
}

void lod_unfinished_finish(struct lod_unfinished *unfinished)
{
    close(unfinished->fd);
}
