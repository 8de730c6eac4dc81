/* SPDX-License-Identifier: Apache-2.0 */
/* The files, in the order of their items, so that a record is read from its start to its end. */
#include "unpack/work.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

/* What became of a file, so that one of the store's troubles does not stop the rest. */
enum outcome { WRITTEN, NOT_HELD, UNREADABLE, STUCK };

/* All spans of one read; they are consumed. */
static int write_spans(int fd, struct lod_read *read)
{
    unsigned at = 0;

    while (at < read->count) {
        ssize_t wrote = writev(fd, read->iov + at, (int)(read->count - at));
        if (wrote < 0 && errno != EINTR) {
            return -errno;
        }
        size_t left = wrote < 0 ? 0 : (size_t)wrote;
        while (at < read->count && left >= read->iov[at].iov_len) {
            left -= read->iov[at++].iov_len;
        }
        if (at < read->count) {
            read->iov[at].iov_base = (char *)read->iov[at].iov_base + left;
            read->iov[at].iov_len -= left;
        }
    }
    return 0;
}

static enum outcome write_bytes(struct lod_unpack_work *work, int fd, const struct lod_item *item,
                                const struct lod_plan *plan, int *ret_error)
{
    struct lod_read read;
    uint64_t bytes = 0;

    for (uint64_t at = 0; at < plan->bytes; at += bytes) {
        *ret_error = lod_stop_poll(work->options->stop);
        if (*ret_error) {
            return STUCK;
        }
        *ret_error = lod_reader_read(work->reader, item, plan, at, LOD_READ_BYTES_MAX, &read);
        if (*ret_error) {
            return *ret_error == -ENOMEM ? STUCK : UNREADABLE;
        }
        bytes = read.bytes;
        *ret_error = write_spans(fd, &read);
        lod_read_finish(&read);
        if (*ret_error) {
            return STUCK;
        }
        lod_progress_add(work->options->progress, 0, bytes, 0);
    }
    return WRITTEN;
}

/* Makes the file `name` in `folder_fd`; what is not complete is removed again. */
static enum outcome write_file(struct lod_unpack_work *work, int folder_fd, const char *name,
                               const struct lod_node *node, const struct lod_item *item,
                               const struct lod_plan *plan, int *ret_error)
{
    int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0) {
        *ret_error = -errno;
        return STUCK;
    }
    enum outcome outcome = write_bytes(work, fd, item, plan, ret_error);
    if (outcome == WRITTEN) {
        *ret_error = lod_plant_set(fd, node);
        outcome = *ret_error ? STUCK : WRITTEN;
    }
    if (close(fd) < 0 && outcome == WRITTEN) {
        *ret_error = -errno;
        outcome = STUCK;
    }
    if (outcome != WRITTEN) {
        unlinkat(folder_fd, name, 0);
    }
    return outcome;
}

/* A file without an original is what full/ has: the source's pixels and metadata. */
static int make_plan(struct lod_unpack_work *work, const struct lod_node *node,
                     const struct lod_item *item, struct lod_plan *plan, bool *ret_at_full)
{
    struct lod_dataset *dataset = work->options->dataset;
    int error = work->view->plan(dataset, node, item, work->options->fidelity, plan);

    *ret_at_full =
        error == -ENOENT && work->options->else_full && !(node->flags & LOD_NODE_VIRTUAL);
    return *ret_at_full ? work->view->plan(dataset, node, item, LOD_FULL, plan) : error;
}

/* The file of a node: its item, its plan, its folder. */
static enum outcome unpack_node(struct lod_unpack_work *work, struct lod_plant_folder *folder,
                                uint32_t number, int *ret_error)
{
    char name[LOD_NAME_MAX + 1];
    struct lod_node node;
    struct lod_item item;
    struct lod_plan plan;
    bool index, at_full;

    *ret_error = lod_index_node(work->index, number, &node);
    *ret_error = *ret_error ? *ret_error : lod_index_name(work->index, &node, name);
    *ret_error =
        *ret_error ? *ret_error : lod_dataset_item(work->options->dataset, node.ref, &item);
    if (*ret_error) {
        return *ret_error == -ENOMEM ? STUCK : UNREADABLE;
    }
    *ret_error = make_plan(work, &node, &item, &plan, &at_full);
    if (*ret_error) {
        return *ret_error == -ENOENT ? NOT_HELD : UNREADABLE;
    }
    *ret_error = lod_plant_enter(folder, work->index, node.parent, &index);
    if (*ret_error) {
        return index && *ret_error != -ENOMEM ? UNREADABLE : STUCK;
    }
    enum outcome outcome = write_file(work, folder->fd, name, &node, &item, &plan, ret_error);
    if (outcome == WRITTEN) {
        lod_unpack_count(work, &work->result->files, plan.bytes);
        if (at_full) {
            lod_unpack_count(work, &work->result->at_full, 0);
        }
    }
    return outcome;
}

int lod_unpack_file(struct lod_unpack_work *work, struct lod_plant_folder *folder, uint32_t node)
{
    int error = 0;

    switch (unpack_node(work, folder, node, &error)) {
    case WRITTEN:
        error = 0;
        break;
    case NOT_HELD:
        error = lod_unpack_note(work, node, "the store does not hold its exact bytes", false);
        break;
    case UNREADABLE:
        error = lod_unpack_note(work, node, "it cannot be read from the store: damaged", true);
        break;
    case STUCK:
        error = error == -EINTR ? error : lod_unpack_stuck(work, node, "write", error);
        break;
    }
    lod_progress_add(work->options->progress, 1, 0, 0);
    return error;
}

int lod_unpack_files(struct lod_unpack_work *work, uint64_t step)
{
    size_t at = (size_t)step * LOD_UNPACK_STEP, left = work->files.count - at;
    size_t end = at + (left < LOD_UNPACK_STEP ? left : LOD_UNPACK_STEP);
    struct lod_plant_folder folder;
    int error = 0;

    lod_plant_folder_init(&folder, work->root_fd);
    for (; !error && at < end; at++) {
        error = lod_stop_poll(work->options->stop);
        error = error ? error : lod_unpack_file(work, &folder, (uint32_t)work->files.at[at]);
    }
    lod_plant_folder_finish(&folder);
    return error;
}
