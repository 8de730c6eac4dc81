/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacks the files in the order of their items, so that records are read sequentially. A file gets
 * its name when it is complete, so a killed run leaves no incomplete files.
 */
#include "backend/file_io.h"
#include "unpack/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/mtime.h"
#include "unpack/hole_write.h"

/* The outcome for one file. Damage in the store costs only that file. */
enum outcome { WRITTEN, THERE, TAKEN, NOT_HELD, UNREADABLE, STUCK };

/* One file: its target folder and name, and its plan. */
struct file {
    int folder_fd;
    uint32_t folder; /* number of its node */
    char name[LOD_NAME_MAX + 1];
    struct lod_node node;
    struct lod_item item;
    struct lod_plan plan;
};

static enum outcome write_bytes(struct lod_unpack_work *work, int fd, const struct lod_item *item,
                                const struct lod_plan *plan, int *ret_error)
{
    struct lod_read read;
    uint64_t bytes = 0;
    bool hole = false;

    for (uint64_t at = 0; at < plan->bytes; at += bytes) {
        *ret_error = lod_cancel_poll(work->options->stop);
        if (*ret_error) {
            return STUCK;
        }
        *ret_error = lod_reader_read(work->reader, item, plan, at, LOD_READ_BYTES_MAX, &read);
        if (*ret_error) {
            return *ret_error == -ENOMEM ? STUCK : UNREADABLE;
        }
        bytes = read.bytes;
        *ret_error = lod_hole_write(fd, &read, &hole);
        lod_read_finish(&read);
        if (*ret_error) {
            return STUCK;
        }
        lod_progress_add(work->options->progress, 0, bytes, 0);
    }
    *ret_error = lod_hole_end(fd, plan->bytes, hole);
    return *ret_error ? STUCK : WRITTEN;
}

/* Chooses a temporary name that no file of the store has. Removes a file that a killed run left
 * under it. */
static int temporary_name(struct lod_unpack_work *work, const struct file *file,
                          char name[LOD_NAME_MAX + 1])
{
    struct lod_node folder = {0};
    int error = lod_index_node(work->index, file->folder, &folder);

    error = error == -ENOMEM ? error
                             : lod_unfinished_name(work->index, &folder, file->node.number, name);
    if (!error) {
        unlinkat(file->folder_fd, name, 0);
    }
    return error;
}

/*
 * Opens a new file without a name (O_TMPFILE), or with a temporary one if the file system does not
 * support that. So a file with its final name is always complete.
 */
static int open_new(struct lod_unpack_work *work, const struct file *file,
                    char ret_name[LOD_NAME_MAX + 1])
{
    int fd = -1;

    ret_name[0] = '\0';
    if (!atomic_load(&work->named)) {
        fd = openat(file->folder_fd, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
        if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
            return fd < 0 ? -errno : fd;
        }
        atomic_store(&work->named, true);
    }
    int error = temporary_name(work, file, ret_name);
    if (error) {
        return error;
    }
    fd = openat(file->folder_fd, ret_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                0600);
    return fd < 0 ? -errno : fd;
}

/* Gives the file its name. Returns -EEXIST if another file has it. */
static int publish(const struct file *file, int fd, const char *temporary)
{
    char path[64];

    if (!temporary[0]) {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        return linkat(AT_FDCWD, path, file->folder_fd, file->name, AT_SYMLINK_FOLLOW) < 0 ? -errno
                                                                                          : 0;
    }
    if (renameat2(file->folder_fd, temporary, file->folder_fd, file->name, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -errno;
    }
    return linkat(file->folder_fd, temporary, file->folder_fd, file->name, 0) < 0 ? -errno : 0;
}

static enum outcome write_file(struct lod_unpack_work *work, const struct file *file,
                               int *ret_error)
{
    char temporary[LOD_NAME_MAX + 1];
    int fd = open_new(work, file, temporary);

    if (fd < 0) {
        *ret_error = fd;
        return STUCK;
    }
    enum outcome outcome = write_bytes(work, fd, &file->item, &file->plan, ret_error);
    if (outcome == WRITTEN) {
        *ret_error = lod_confined_dir_set(fd, &file->node);
        *ret_error = *ret_error ? *ret_error : publish(file, fd, temporary);
        outcome = *ret_error == -EEXIST ? TAKEN : *ret_error ? STUCK : WRITTEN;
    }
    if (close(fd) < 0 && outcome == WRITTEN) {
        *ret_error = -errno;
        outcome = STUCK;
    }
    if (temporary[0]) {
        unlinkat(file->folder_fd, temporary, 0);
    }
    return outcome;
}

/* Returns whether the file has the bytes of the store, or cannot be compared. */
static bool is_equal(struct lod_unpack_work *work, const struct file *file)
{
    int fd = openat(file->folder_fd, file->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    uint8_t *bytes = fd < 0 ? NULL : malloc(LOD_READ_BYTES_MAX);
    struct lod_read read;
    uint64_t at = 0;
    bool equal = true;

    while (bytes && equal && at < file->plan.bytes &&
           lod_reader_read(work->reader, &file->item, &file->plan, at, LOD_READ_BYTES_MAX, &read) ==
               0) {
        equal = pread(fd, bytes, read.bytes, (off_t)at) == (ssize_t)read.bytes;
        const uint8_t *next = bytes;
        for (unsigned i = 0; equal && i < read.count; next += read.iov[i++].iov_len) {
            equal = memcmp(next, read.iov[i].iov_base, read.iov[i].iov_len) == 0;
        }
        at += read.bytes;
        lod_read_finish(&read);
    }
    free(bytes);
    lod_file_close(fd);
    return equal;
}

bool lod_unpack_is_there(int folder_fd, const char *name, const struct lod_node *node,
                         uint64_t bytes)
{
    struct stat st;

    return fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           (uint64_t)st.st_size == bytes && (st.st_mode & 0777) == (node->mode & 0777) &&
           lod_mtime_of(st.st_mtim) == node->mtime;
}

/* Writes a file unless its name exists. An equal file of an earlier run is kept; any other one is
 * reported. */
static enum outcome make_file(struct lod_unpack_work *work, const struct file *file, int *ret_error)
{
    char left[LOD_NAME_MAX + 1];

    if (work->unfinished.resumed) {
        *ret_error = temporary_name(work, file, left);
    }
    if (work->unfinished.resumed && !*ret_error &&
        faccessat(file->folder_fd, file->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        bool right =
            lod_unpack_is_there(file->folder_fd, file->name, &file->node, file->plan.bytes) &&
            (!work->unfinished.rebooted || is_equal(work, file));
        lod_progress_add(work->options->progress, 0, file->plan.bytes, 0);
        return right ? THERE : TAKEN;
    }
    const bool nameless = !atomic_load(&work->named); /* another thread may change it meanwhile */
    enum outcome outcome = write_file(work, file, ret_error);
    if (*ret_error == -ENOENT && outcome == STUCK && nameless) {
        atomic_store(&work->named, true); /* without /proc a file without a name cannot be linked */
        outcome = write_file(work, file, ret_error);
    }
    return outcome;
}

/* Plans a file. A file without an original is written as at full, with the source's pixels. */
static int make_plan(struct lod_unpack_work *work, const struct lod_node *node,
                     const struct lod_item *item, struct lod_plan *plan, bool *ret_at_full)
{
    struct lod_dataset *dataset = work->options->dataset;
    int error = lod_view_plan(work->view, dataset, node, item, work->options->fidelity, plan);

    *ret_at_full =
        error == -ENOENT && work->options->else_full && !(node->flags & LOD_NODE_VIRTUAL);
    return *ret_at_full ? lod_view_plan(work->view, dataset, node, item, LOD_FULL, plan) : error;
}

/* Unpacks the file of a node. */
static enum outcome unpack_node(struct lod_unpack_work *work,
                                struct lod_confined_dir_folder *folder, uint32_t number,
                                int *ret_error)
{
    struct file file;
    bool index, at_full;

    *ret_error = lod_index_node(work->index, number, &file.node);
    *ret_error = *ret_error ? *ret_error : lod_index_name(work->index, &file.node, file.name);
    *ret_error = *ret_error ? *ret_error
                            : lod_dataset_item(work->options->dataset, file.node.ref, &file.item);
    if (*ret_error) {
        return *ret_error == -ENOMEM ? STUCK : UNREADABLE;
    }
    *ret_error = make_plan(work, &file.node, &file.item, &file.plan, &at_full);
    if (*ret_error) {
        return *ret_error == -ENOENT ? NOT_HELD : UNREADABLE;
    }
    *ret_error = lod_confined_dir_enter(folder, work->index, file.node.parent, &index);
    if (*ret_error) {
        return index && *ret_error != -ENOMEM ? UNREADABLE : STUCK;
    }
    file.folder_fd = folder->fd;
    file.folder = file.node.parent;
    enum outcome outcome = make_file(work, &file, ret_error);
    if (outcome == WRITTEN || outcome == THERE) {
        lod_unpack_count(work, &work->result->files, file.plan.bytes);
        if (outcome == THERE) {
            lod_unpack_count(work, &work->result->there, 0);
        }
        if (at_full) {
            lod_unpack_count(work, &work->result->at_full, 0);
        }
    }
    return outcome;
}

int lod_unpack_file(struct lod_unpack_work *work, struct lod_confined_dir_folder *folder,
                    uint32_t node)
{
    int error = 0;

    switch (unpack_node(work, folder, node, &error)) {
    case WRITTEN:
    case THERE:
        error = 0;
        break;
    case TAKEN:
        error = lod_unpack_note(work, node, "a different file has this name; it is left as it is",
                                true);
        break;
    case NOT_HELD:
        error = lod_unpack_note(work, node, "the store does not have its exact bytes", false);
        break;
    case UNREADABLE:
        error = lod_unpack_note(work, node, "it cannot be read from the store: damaged", true);
        break;
    case STUCK:
        error = error == -EINTR ? error : lod_unpack_fail(work, node, "write", error);
        break;
    }
    lod_progress_add(work->options->progress, 1, 0, 0);
    return error;
}

int lod_unpack_files(struct lod_unpack_work *work, uint64_t step)
{
    size_t at = (size_t)step * LOD_UNPACK_STEP, left = work->files.count - at;
    size_t end = at + (left < LOD_UNPACK_STEP ? left : LOD_UNPACK_STEP);
    struct lod_confined_dir_folder folder;
    int error = 0;

    lod_confined_dir_folder_init(&folder, work->root_fd);
    for (; !error && at < end; at++) {
        error = lod_cancel_poll(work->options->stop);
        error = error ? error : lod_unpack_file(work, &folder, (uint32_t)work->files.at[at]);
    }
    lod_confined_dir_folder_finish(&folder);
    return error;
}
