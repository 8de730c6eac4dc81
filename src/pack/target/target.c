/* SPDX-License-Identifier: Apache-2.0 */
/* The folder into which a store is written: checks, lock, and clean-up; see target.h. */
#include "pack/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "mount/mount_table.h"
#include "pack/target/stale_files.h"
#include "backend/file_io.h"
#include "backend/folder_place.h"
#include "backend/format.h"

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define FOLDER_MODE  0777
#define LOCK_TRIES   100 /* each fails only if another pack has made and removed the folder */

static int refuse(struct lod_first_error *first_error, int error, const char *path,
                  const char *sentence)
{
    return lod_first_error_set(first_error, 0, error, "'%pE' %s", path, sentence);
}

static int refuse_errno(struct lod_first_error *first_error, const char *what, const char *path)
{
    int error = errno;

    return lod_first_error_set(first_error, 0, -error, "cannot %s '%pE': %s", what, path,
                               strerrordesc_np(error));
}

static int check_contents(const char *path, int fd, struct lod_first_error *first_error)
{
    char foreign[LOD_NAME_MAX + 1];
    struct stat st;

    if (fstatat(fd, LOD_MANIFEST_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        return refuse(first_error, -EEXIST, path,
                      "already holds a store; remove it first, or name another folder");
    }
    int error = lod_stale_files_find(fd, false, foreign);
    int records_fd = error ? -1 : openat(fd, LOD_RECORDS_NAME, FOLDER_FLAGS | O_NOFOLLOW);
    if (records_fd >= 0) {
        error = lod_stale_files_find(records_fd, true, foreign);
        close(records_fd);
    } else if (!error && errno != ENOENT) {
        return refuse_errno(first_error, "read the records of", path);
    }
    if (error == -ENOTEMPTY) {
        return lod_first_error_set(
            first_error, 0, error,
            "'%pE' holds '%pE', which no pack has written: name a new or an empty folder", path,
            foreign);
    }
    errno = -error;
    return error ? refuse_errno(first_error, "list", path) : 0;
}

/* `fd` is the store's folder, or its parent if it does not exist. */
static int check_nesting(const char *path, int fd, bool exists, int source_fd,
                         struct lod_first_error *first_error)
{
    struct stat source, store;
    bool inside = false, around = false;

    if (fstat(source_fd, &source) || fstat(fd, &store)) {
        return refuse_errno(first_error, "examine", path);
    }
    int error = lod_folder_is_inside(fd, &source, &inside);
    if (!error && exists) {
        error = lod_folder_is_inside(source_fd, &store, &around);
    }
    if (error) {
        errno = -error;
        return refuse_errno(first_error, "find the folders above", path);
    }
    if (inside) {
        return refuse(first_error, -EINVAL, path,
                      "lies in the source: a store cannot be packed into itself");
    }
    return around ? refuse(first_error, -EINVAL, path,
                           "holds the source: a store has a folder of its own")
                  : 0;
}

/* `fd` as for check_nesting. If the table of mounts cannot be read, nothing is refused. */
static int check_mounts(const char *path, int fd, struct lod_first_error *first_error)
{
    bool inside = false;
    char *point = NULL;
    int error = lod_mount_table_around(fd, &inside, &point);

    if (error) {
        return error == -ENOMEM ? error : 0;
    }
    if (inside) {
        free(point);
        return refuse(first_error, -EROFS, path,
                      "lies in a mount of lodfs, which is read-only: name another folder");
    }
    if (!point) {
        return 0;
    }
    error = lod_first_error_set(first_error, 0, -EBUSY,
                                "'%pE' lies in a store that is mounted at '%pE': unmount it first, "
                                "or name another folder",
                                path, point);
    free(point);
    return error;
}

int lod_target_check(const char *path, int source_fd, struct lod_first_error *first_error,
                     bool *ret_exists, uint64_t *ret_dev, uint64_t *ret_ino)
{
    struct stat st;
    bool exists = false;
    int fd = -1;
    int error = lod_folder_open(path, &fd, &exists);

    if (error) {
        errno = -error;
        return refuse_errno(first_error, exists ? "write a store to" : "make the folder", path);
    }
    error = source_fd < 0 ? 0 : check_nesting(path, fd, exists, source_fd, first_error);
    error = error ? error : check_mounts(path, fd, first_error);
    if (!error && exists) {
        error = check_contents(path, fd, first_error);
    }
    if (!error && exists && fstat(fd, &st) == 0) {
        *ret_dev = st.st_dev;
        *ret_ino = st.st_ino;
    }
    *ret_exists = exists;
    close(fd);
    return error;
}

/* Locks the folder. On a file system without flock it continues without a lock; the check for a
 * manifest remains. */
static int lock_folder(const struct lod_target *target, struct lod_first_error *first_error)
{
    if (flock(target->fd, LOCK_EX | LOCK_NB) == 0) {
        return 0;
    }
    if (errno == EWOULDBLOCK) {
        return refuse(first_error, -EWOULDBLOCK, target->path,
                      "is being written by another pack; wait for it, or name another folder");
    }
    lod_log(LOD_LOG_WARNING, "cannot lock '%s' (%s): make sure that no other pack writes there",
            target->path, strerrordesc_np(errno));
    return 0;
}

static int open_records(struct lod_target *target, struct lod_first_error *first_error)
{
    target->records_fd = openat(target->fd, LOD_RECORDS_NAME, FOLDER_FLAGS | O_NOFOLLOW);
    target->made_fd = target->records_fd;
    return target->records_fd < 0 ? refuse_errno(first_error, "open records/ in", target->path) : 0;
}

/*
 * Makes the folder if needed, opens it and locks it. Another pack may be the first to lock a folder
 * that this run made; then it is not this run's. Returns -ESTALE if another pack has removed the
 * folder before it was locked.
 */
static int make_and_lock(struct lod_target *target, struct lod_first_error *first_error)
{
    target->made = mkdir(target->path, FOLDER_MODE) == 0;
    if (!target->made && errno != EEXIST) {
        return refuse_errno(first_error, "make the folder", target->path);
    }
    target->fd = open(target->path, FOLDER_FLAGS);
    if (target->fd < 0) {
        return errno == ENOENT ? -ESTALE : refuse_errno(first_error, "open", target->path);
    }
    int error = lock_folder(target, first_error);
    const bool ours = !error && lod_file_is_named(target->fd, AT_FDCWD, target->path, 0);
    target->made = target->made && ours;
    return error || ours ? error : -ESTALE;
}

static int lock_own_folder(struct lod_target *target, struct lod_first_error *first_error)
{
    int error = -ESTALE;

    for (int tries = 0; error == -ESTALE && tries < LOCK_TRIES; tries++) {
        lod_file_close(target->fd);
        error = make_and_lock(target, first_error);
    }
    return error != -ESTALE
               ? error
               : refuse(first_error, error, target->path,
                        "is removed again and again by other packs; name another folder");
}

static int open_folders(struct lod_target *target, struct lod_first_error *first_error)
{
    int error = lock_own_folder(target, first_error);

    error = error ? error : check_contents(target->path, target->fd, first_error);
    if (error) {
        return error;
    }
    if (mkdirat(target->fd, LOD_RECORDS_NAME, FOLDER_MODE) && errno != EEXIST) {
        return refuse_errno(first_error, "make records/ in", target->path);
    }
    return open_records(target, first_error);
}

int lod_target_join(const char *path, struct lod_first_error *first_error,
                    struct lod_target *ret_target)
{
    struct lod_target target = {.path = path, .records_fd = -1, .keep = true};

    target.fd = open(path, FOLDER_FLAGS);
    int error = target.fd >= 0 ? check_contents(path, target.fd, first_error)
                : errno == ENOENT
                    ? refuse(first_error, -ENOENT, path, "has no plan: run lodfs pack --plan first")
                    : refuse_errno(first_error, "open the folder of the store", path);
    error = error ? error : open_records(&target, first_error);
    if (error) {
        lod_target_finish(&target);
        return error;
    }
    *ret_target = target;
    return 0;
}

int lod_target_open(const char *path, struct lod_first_error *first_error,
                    struct lod_target *ret_target)
{
    struct lod_target target = {.path = path, .fd = -1, .records_fd = -1, .keep = true};
    int error = open_folders(&target, first_error);

    if (error) {
        /* Without the check, only a folder that this run made and locked may be removed. */
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

/* A parent that may not be read cannot be synced either, which is no error. */
int lod_target_sync_parent(const struct lod_target *target)
{
    int error = lod_file_sync_at(target->fd, "..");

    return error == -EACCES ? 0 : error;
}

void lod_target_end_journal(const struct lod_target *target)
{
    static const char *const names[] = {LOD_PARTS_NAME, LOD_PLAN_NAME, LOD_JOURNAL_NAME};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (unlinkat(target->fd, names[i], 0) < 0 && errno != ENOENT) {
            lod_log(LOD_LOG_WARNING, "the store is complete, but '%s/%s' stays: %s; remove it",
                    target->path, names[i], strerrordesc_np(errno));
        }
    }
}

void lod_target_finish(struct lod_target *target)
{
    if (!target->keep) {
        lod_stale_files_remove(target->fd, target->records_fd);
        unlinkat(target->fd, LOD_RECORDS_NAME, AT_REMOVEDIR);
        if (target->made) {
            rmdir(target->path);
        }
    }
    lod_file_close(target->records_fd);
    lod_file_close(target->fd); /* this releases the lock too */
}
