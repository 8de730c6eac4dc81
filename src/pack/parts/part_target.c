/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of parts, and their folders; see part_target.h. */
#include "pack/parts/part_target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "log.h"
#include "pack/target/stale_files.h"

#define FOLDER_MODE 0777
#define NOTE_BYTES  16u

static int refuse(const struct lod_target *target, struct lod_first_error *first_error, int error,
                  const char *sentence)
{
    return lod_first_error_set(first_error, 0, error, "'%pE' %s", target->path, sentence);
}

/* ---------------------------------------------------------------------------------- locks */

/* Locks bytes of the plan, to its end if there are 0. On a file system without such locks it
 * continues, as lod_target_open does. */
static int take(const struct lod_target *target, struct lod_part_lock *lock, uint32_t first,
                uint32_t count)
{
    struct flock range = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = first, .l_len = count};

    lock->held = fcntl(lock->fd, F_OFD_SETLK, &range) == 0;
    if (lock->held) {
        return 0;
    }
    if (errno == EAGAIN || errno == EACCES) {
        return -EWOULDBLOCK;
    }
    lod_log(LOD_LOG_WARNING,
            "cannot lock '%s/" LOD_PLAN_NAME "' (%s): make sure that each part "
            "runs once, and none while the store is committed",
            target->path, strerrordesc_np(errno));
    return 0;
}

static int open_plan(const struct lod_target *target, int *ret_fd)
{
    *ret_fd = openat(target->fd, LOD_PLAN_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return *ret_fd < 0 ? -errno : 0;
}

/* A symbolic link, or anything else that is no regular file, is no plan; the reader of the plan
 * reports it. */
int lod_part_lock_all(const struct lod_target *target, struct lod_first_error *first_error,
                      struct lod_part_lock *ret_lock, bool *ret_plan)
{
    struct stat st;
    int error = open_plan(target, &ret_lock->fd);

    *ret_plan = fstatat(target->fd, LOD_PLAN_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0;
    error = error ? 0 : take(target, ret_lock, 0, 0);
    return error ? refuse(target, first_error, error,
                          "is being written: a part of it still runs; wait for it, then run this "
                          "again")
                 : 0;
}

int lod_part_lock_run(const struct lod_target *target, const struct lod_pack_plan *plan,
                      const struct lod_part_run *run, struct lod_first_error *first_error,
                      struct lod_part_lock *ret_lock)
{
    uint8_t head[LOD_FRAMED_FILE_HEAD];
    int error = open_plan(target, &ret_lock->fd);

    error = error ? error : take(target, ret_lock, run->first, run->count);
    if (error == -EWOULDBLOCK) {
        return refuse(target, first_error, error,
                      "has records of this part that another process is writing; wait for it, or "
                      "for the commit");
    }
    error = error ? error : lod_file_pread(ret_lock->fd, 0, head, sizeof(head));
    if (error || !lod_file_is_named(ret_lock->fd, target->fd, LOD_PLAN_NAME, AT_SYMLINK_NOFOLLOW) ||
        memcmp(head, plan->file.data, sizeof(head)) != 0) {
        return refuse(target, first_error, error ? error : -ESTALE,
                      "has another plan now; run the part again");
    }
    return 0;
}

void lod_part_unlock(struct lod_part_lock *lock)
{
    lod_file_close(lock->fd);
    lock->fd = -1;
}

/* --------------------------------------------------------------------------------- folders */

/* Parts that begin simultaneously may write this file simultaneously; then the commit may not know
 * N. */
static void note(const struct lod_target *target, uint32_t count)
{
    char text[NOTE_BYTES];
    int fd = -1;
    const int bytes = snprintf(text, sizeof(text), "%" PRIu32 "\n", count);
    int error = lod_file_create(target->fd, LOD_PARTS_NAME, &fd);

    error = error ? error : lod_file_pwrite(fd, 0, text, (size_t)bytes);
    if (error) {
        lod_log(LOD_LOG_INFO, "cannot write '%s/" LOD_PARTS_NAME "': %s", target->path,
                strerrordesc_np(-error));
    }
    lod_file_close(fd);
}

uint32_t lod_part_noted(const struct lod_target *target)
{
    char text[NOTE_BYTES + 1] = "";
    size_t bytes = 0;
    int fd = openat(target->fd, LOD_PARTS_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int error = fd < 0 ? -errno : lod_file_read_all(fd, text, NOTE_BYTES, &bytes);

    lod_file_close(fd);
    text[error ? 0 : bytes] = '\0';
    const unsigned long count = strtoul(text, NULL, 10);
    return text[0] == '-' || count > LOD_PARTS_MAX ? 0 : (uint32_t)count;
}

static int make_folder(const struct lod_target *target, struct lod_part_folder *folder)
{
    if (mkdirat(target->fd, folder->name, FOLDER_MODE)) {
        return -errno;
    }
    folder->fd = openat(target->fd, folder->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder->fd < 0 ? -errno : 0;
}

int lod_part_folder_make(struct lod_target *target, const struct lod_pack_part *part,
                         const struct lod_part_lock *lock, struct lod_first_error *first_error,
                         struct lod_part_folder *ret_folder)
{
    uint32_t chance = 0;
    const int before =
        snprintf(ret_folder->name, LOD_PART_FOLDER_ROOM, LOD_PART_FOLDER "%" PRIu32 "-%" PRIu32 ".",
                 part->number, part->count);

    note(target, part->count);
    if (lock->held) {
        lod_stale_files_remove_parts(target->fd, ret_folder->name);
    }
    int error = getrandom(&chance, sizeof(chance), 0) == (ssize_t)sizeof(chance) ? 0 : -EIO;
    snprintf(ret_folder->name + before, LOD_PART_FOLDER_ROOM - (size_t)before, "%08" PRIx32,
             chance);
    error = error ? error : make_folder(target, ret_folder);
    if (error) {
        return lod_first_error_set(first_error, 0, error, "cannot make the folder '%pE/%s': %s",
                                   target->path, ret_folder->name, strerrordesc_np(-error));
    }
    target->made_fd = ret_folder->fd;
    return 0;
}

void lod_part_folder_remove(struct lod_target *target, struct lod_part_folder *folder)
{
    if (folder->name[0] && folder->fd >= 0) {
        close(folder->fd);
        lod_stale_files_remove_parts(target->fd, folder->name);
    }
    target->made_fd = target->records_fd;
}
