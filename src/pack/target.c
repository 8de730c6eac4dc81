/* SPDX-License-Identifier: Apache-2.0 */
/* The folder a store is written into: whether it may be, the lock, the end; see target.h. */
#include "pack/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "mounted.h"
#include "pack/leftovers.h"
#include "store/file_io.h"
#include "store/format.h"

#define PARENTS_MAX    65536 /* steps up from a folder before we give up on reaching the root */
#define FOLDER_FLAGS   (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define FOLDER_MODE    0777
#define NAME_TEXT_ROOM (4 * LOD_NAME_MAX + 1)
#define PATH_TEXT_ROOM (4 * LOD_PATH_MAX + 1)

static int refuse(struct lod_trouble *trouble, int error, const char *path, const char *sentence)
{
    char name[PATH_TEXT_ROOM];

    lod_escape(path, strlen(path), name, sizeof(name));
    return lod_trouble_set(trouble, 0, error, "'%s' %s", name, sentence);
}

static int refuse_errno(struct lod_trouble *trouble, const char *what, const char *path)
{
    int error = errno;
    char name[PATH_TEXT_ROOM];

    lod_escape(path, strlen(path), name, sizeof(name));
    return lod_trouble_set(trouble, 0, -error, "cannot %s '%s': %s", what, name,
                           strerrordesc_np(error));
}

static int check_contents(const char *path, int fd, struct lod_trouble *trouble)
{
    char foreign[LOD_NAME_MAX + 1], name[NAME_TEXT_ROOM], sentence[NAME_TEXT_ROOM + 160];
    struct stat st;

    if (fstatat(fd, LOD_MANIFEST_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        return refuse(trouble, -EEXIST, path,
                      "already holds a store; remove it first, or name another folder");
    }
    int error = lod_leftovers_look(fd, false, foreign);
    int records_fd = error ? -1 : openat(fd, LOD_RECORDS_NAME, FOLDER_FLAGS | O_NOFOLLOW);
    if (records_fd >= 0) {
        error = lod_leftovers_look(records_fd, true, foreign);
        close(records_fd);
    } else if (!error && errno != ENOENT) {
        return refuse_errno(trouble, "read the records of", path);
    }
    if (error == -ENOTEMPTY) {
        lod_escape(foreign, strlen(foreign), name, sizeof(name));
        snprintf(sentence, sizeof(sentence),
                 "holds '%s', which no pack has written: name a new or an empty folder", name);
        return refuse(trouble, error, path, sentence);
    }
    errno = -error;
    return error ? refuse_errno(trouble, "list", path) : 0;
}

/* Is the folder `inner` the folder `outer` or somewhere below it? */
static int is_inside(int inner_fd, const struct stat *outer, bool *ret_inside)
{
    struct stat st, before = {0};
    int fd = fcntl(inner_fd, F_DUPFD_CLOEXEC, 0);
    int error = fd < 0 ? -errno : 0;

    *ret_inside = false;
    for (unsigned i = 0; !error && i < PARENTS_MAX && !*ret_inside; i++) {
        if (fstat(fd, &st)) {
            error = -errno;
            break;
        }
        if (i && st.st_dev == before.st_dev && st.st_ino == before.st_ino) {
            break; /* the root is its own parent */
        }
        *ret_inside = st.st_dev == outer->st_dev && st.st_ino == outer->st_ino;
        before = st;
        int up = openat(fd, "..", FOLDER_FLAGS);
        error = up < 0 ? -errno : 0;
        close(fd);
        fd = up;
    }
    if (fd >= 0) {
        close(fd);
    }
    return error;
}

/* `fd` is the store's folder, or the one it would be made in. */
static int check_nesting(const char *path, int fd, bool exists, int source_fd,
                         struct lod_trouble *trouble)
{
    struct stat source, store;
    bool inside = false, around = false;

    if (fstat(source_fd, &source) || fstat(fd, &store)) {
        return refuse_errno(trouble, "examine", path);
    }
    int error = is_inside(fd, &source, &inside);
    if (!error && exists) {
        error = is_inside(source_fd, &store, &around);
    }
    if (error) {
        errno = -error;
        return refuse_errno(trouble, "find the folders above", path);
    }
    if (inside) {
        return refuse(trouble, -EINVAL, path,
                      "lies in the source: a store cannot be packed into itself");
    }
    return around
               ? refuse(trouble, -EINVAL, path, "holds the source: a store has a folder of its own")
               : 0;
}

/* `fd` as for check_nesting. A table of mounts that cannot be read refuses nothing. */
static int check_mounts(const char *path, int fd, struct lod_trouble *trouble)
{
    char name[PATH_TEXT_ROOM], sentence[PATH_TEXT_ROOM + 160];
    bool inside = false;
    char *point = NULL;
    int error = lod_mounted_folder(fd, &inside, &point);

    if (error) {
        return error == -ENOMEM ? error : 0;
    }
    if (inside) {
        free(point);
        return refuse(trouble, -EROFS, path,
                      "lies in a mount of lodfs, which is read-only: name another folder");
    }
    if (!point) {
        return 0;
    }
    lod_escape(point, strlen(point), name, sizeof(name));
    snprintf(sentence, sizeof(sentence),
             "lies in a store that is mounted at '%s': unmount it first, or name another folder",
             name);
    free(point);
    return refuse(trouble, -EBUSY, path, sentence);
}

/* The folder a new store would be made in. */
static int open_parent(const char *path, int *ret_fd)
{
    char *copy = strdup(path);
    if (!copy) {
        return -ENOMEM;
    }
    size_t bytes = strlen(copy);
    while (bytes > 1 && copy[bytes - 1] == '/') {
        copy[--bytes] = '\0';
    }
    char *slash = strrchr(copy, '/');
    if (slash) {
        slash[slash == copy] = '\0';
    }
    int fd = open(slash ? copy : ".", FOLDER_FLAGS);
    int error = fd < 0 ? -errno : 0;
    free(copy);
    if (!error) {
        *ret_fd = fd;
    }
    return error;
}

int lod_target_check(const char *path, int source_fd, struct lod_trouble *trouble, bool *ret_exists,
                     uint64_t *ret_dev, uint64_t *ret_ino)
{
    struct stat st;
    int fd = open(path, FOLDER_FLAGS);
    bool exists = fd >= 0;

    if (!exists && errno != ENOENT) {
        return refuse_errno(trouble, "write a store to", path);
    }
    int error = exists ? 0 : open_parent(path, &fd);
    if (error) {
        errno = -error;
        return refuse_errno(trouble, "make the folder", path);
    }
    error = check_nesting(path, fd, exists, source_fd, trouble);
    error = error ? error : check_mounts(path, fd, trouble);
    if (!error && exists) {
        error = check_contents(path, fd, trouble);
    }
    if (!error && exists && fstat(fd, &st) == 0) {
        *ret_dev = st.st_dev;
        *ret_ino = st.st_ino;
    }
    *ret_exists = exists;
    close(fd);
    return error;
}

/* A file system without flock is used without one: the check for a manifest remains. */
static int lock_folder(const struct lod_target *target, struct lod_trouble *trouble)
{
    if (flock(target->fd, LOCK_EX | LOCK_NB) == 0) {
        return 0;
    }
    if (errno == EWOULDBLOCK) {
        return refuse(trouble, -EWOULDBLOCK, target->path,
                      "is being written by another pack; wait for it, or name another folder");
    }
    lod_log(LOD_LOG_WARNING, "cannot lock '%s' (%s): make sure that no other pack writes there",
            target->path, strerrordesc_np(errno));
    return 0;
}

static int open_folders(struct lod_target *target, struct lod_trouble *trouble)
{
    target->made = mkdir(target->path, FOLDER_MODE) == 0;
    if (!target->made && errno != EEXIST) {
        return refuse_errno(trouble, "make the folder", target->path);
    }
    target->fd = open(target->path, FOLDER_FLAGS);
    if (target->fd < 0) {
        return refuse_errno(trouble, "open", target->path);
    }
    int error = lock_folder(target, trouble);
    error = error ? error : check_contents(target->path, target->fd, trouble);
    if (error) {
        return error;
    }
    if (mkdirat(target->fd, LOD_RECORDS_NAME, FOLDER_MODE) && errno != EEXIST) {
        return refuse_errno(trouble, "make records/ in", target->path);
    }
    target->records_fd = openat(target->fd, LOD_RECORDS_NAME, FOLDER_FLAGS | O_NOFOLLOW);
    return target->records_fd < 0 ? refuse_errno(trouble, "open records/ in", target->path) : 0;
}

int lod_target_open(const char *path, struct lod_trouble *trouble, struct lod_target *ret_target)
{
    struct lod_target target = {.path = path, .fd = -1, .records_fd = -1, .keep = true};
    int error = open_folders(&target, trouble);

    if (error) {
        /* Not ours to clean: without the lock and the check, only what was never touched. */
        if (target.made) {
            rmdir(path);
        }
        lod_target_finish(&target);
        return error;
    }
    *ret_target = target;
    return 0;
}

int lod_target_sync_records(const struct lod_target *target)
{
    return lod_file_sync(target->records_fd);
}

int lod_target_end_journal(struct lod_target *target)
{
    if (unlinkat(target->fd, LOD_JOURNAL_NAME, 0) < 0 && errno != ENOENT) {
        return -errno;
    }
    target->keep = false;
    return 0;
}

void lod_target_finish(struct lod_target *target)
{
    if (!target->keep) {
        lod_leftovers_remove(target->fd, target->records_fd);
        unlinkat(target->fd, LOD_RECORDS_NAME, AT_REMOVEDIR);
        if (target->made) {
            rmdir(target->path);
        }
    }
    if (target->records_fd >= 0) {
        close(target->records_fd);
    }
    if (target->fd >= 0) {
        close(target->fd); /* and with it goes the lock */
    }
}
