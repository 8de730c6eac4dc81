/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder a store is written into; see target.h. Only files that pack itself writes are ever
 * removed: index, manifest.tmp and records/NNNNNN.suffix. Anything else makes the folder foreign.
 */
#include "pack/target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec.h"
#include "log.h"
#include "store/file_io.h"
#include "store/format.h"

#define MANIFEST_TMP   "manifest.tmp"
#define PARENTS_MAX    65536 /* steps up from a folder before we give up on reaching the root */
#define FOLDER_FLAGS   (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define FOLDER_MODE    0777
#define NUMBER_DIGITS  6 /* of a record's file name, at least */
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

/* "000017.pcr": six digits or more and the name of a codec. */
static bool is_record_name(const char *name)
{
    size_t digits = 0;

    while (isdigit((unsigned char)name[digits])) {
        digits++;
    }
    for (unsigned id = 0; digits >= NUMBER_DIGITS && name[digits] == '.' && id < LOD_CODECS; id++) {
        const struct lod_codec *codec = lod_codec_find(id);
        if (codec && strcmp(name + digits + 1, codec->name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_own_name(const char *name, bool in_records)
{
    return in_records ? is_record_name(name)
                      : strcmp(name, LOD_INDEX_NAME) == 0 || strcmp(name, MANIFEST_TMP) == 0 ||
                            strcmp(name, LOD_RECORDS_NAME) == 0;
}

/* A stream of a folder's names that leaves `fd` alone. NULL with errno. */
static DIR *open_names(int fd)
{
    int names_fd = openat(fd, ".", FOLDER_FLAGS);
    DIR *dir = names_fd < 0 ? NULL : fdopendir(names_fd);

    if (!dir && names_fd >= 0) {
        close(names_fd);
    }
    return dir;
}

/* 0, or -ENOTEMPTY with the first name that pack would not have written. */
static int look_for_foreign(int fd, bool in_records, char foreign[LOD_NAME_MAX + 1])
{
    DIR *dir = open_names(fd);
    const struct dirent *entry;
    int error = dir ? 0 : -errno;

    while (!error && (entry = readdir(dir))) {
        bool dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!dots && !is_own_name(entry->d_name, in_records)) {
            snprintf(foreign, LOD_NAME_MAX + 1, "%s", entry->d_name);
            error = -ENOTEMPTY;
        }
    }
    if (dir) {
        closedir(dir);
    }
    return error;
}

static int check_contents(const char *path, int fd, struct lod_trouble *trouble)
{
    char foreign[LOD_NAME_MAX + 1], name[NAME_TEXT_ROOM], sentence[NAME_TEXT_ROOM + 160];
    struct stat st;

    if (fstatat(fd, LOD_MANIFEST_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        return refuse(trouble, -EEXIST, path,
                      "already holds a store; remove it first, or name another folder");
    }
    int error = look_for_foreign(fd, false, foreign);
    int records_fd = error ? -1 : openat(fd, LOD_RECORDS_NAME, FOLDER_FLAGS | O_NOFOLLOW);
    if (records_fd >= 0) {
        error = look_for_foreign(records_fd, true, foreign);
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

/* Errors are left for what follows: a file that stays makes mkdir or open fail. */
static void remove_records(int records_fd)
{
    DIR *dir = open_names(records_fd);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (is_record_name(entry->d_name)) {
            unlinkat(records_fd, entry->d_name, 0);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static void remove_written(const struct lod_target *target)
{
    unlinkat(target->fd, MANIFEST_TMP, 0);
    unlinkat(target->fd, LOD_INDEX_NAME, 0);
    if (target->records_fd >= 0) {
        remove_records(target->records_fd);
    }
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
    struct lod_target target = {.path = path, .fd = -1, .records_fd = -1};
    int error = open_folders(&target, trouble);

    if (error) {
        /* Not ours to clean: without the lock and the check, only what was never touched. */
        if (target.made) {
            rmdir(path);
        }
        target.committed = true;
        lod_target_finish(&target);
        return error;
    }
    remove_written(&target);
    *ret_target = target;
    return 0;
}

int lod_target_sync_records(const struct lod_target *target)
{
    return lod_file_sync(target->records_fd);
}

void lod_target_finish(struct lod_target *target)
{
    if (!target->committed) {
        remove_written(target);
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
