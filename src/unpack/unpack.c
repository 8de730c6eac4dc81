/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of unpacking; see unpack.h. */
#include "unpack/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "backend/folder_place.h"
#include "backend/location.h"
#include "pool.h"
#include "unpack/work.h"

#define FRAMES_BYTES (64ull << 20) /* a small cache: each frame is read about once */

static int step(void *ctx, uint64_t index)
{
    return lod_unpack_files(ctx, index);
}

static int write_files(struct lod_unpack_work *work)
{
    struct lod_pool *pool = NULL;

    lod_progress_stage(work->options->progress, "unpacking", work->files.count, work->bytes);
    int error = lod_pool_create(work->options->threads, &pool);
    if (!error) {
        uint64_t steps = (work->files.count + LOD_UNPACK_STEP - 1) / LOD_UNPACK_STEP;
        error = lod_pool_each(pool, steps, step, work);
    }
    lod_pool_destroy(pool);
    return error;
}

/* Without the list hard links cannot be distinguished from equal files; each is then written as a
 * file of its own. */
static int read_hard_links(struct lod_unpack_work *work)
{
    int error = lod_hard_links_read(work->options->dataset, &work->links);

    return error && error != -ENOMEM
               ? lod_unpack_note(work, 0, "hard links: the tree list cannot be read", true)
               : error;
}

static int unpack(struct lod_unpack_work *work)
{
    int error = read_hard_links(work);

    error = error ? error : lod_unpack_tree(work);
    error = error ? error : write_files(work);
    error = error ? error : lod_unpack_links(work);
    error = error ? error : lod_unpack_seal(work);
    if (!error && work->options->sync && syncfs(work->root_fd) < 0) {
        error = lod_unpack_fail(work, 0, "write what was unpacked to disk, at", -errno);
    }
    return error;
}

/* Refuses a folder in the store. If that cannot be checked, the attempt to write there reports the
 * error. */
static int refuse_store(const struct lod_unpack_options *options)
{
    const char *location = lod_dataset_location(options->dataset);
    bool exists, inside = false;
    struct stat store;
    int fd = -1;

    if (lod_location_is_url(location) || stat(location, &store) < 0 ||
        lod_folder_open(options->folder, &fd, &exists)) {
        return 0;
    }
    int error = lod_folder_is_inside(fd, &store, &inside);
    lod_file_close(fd);
    return !error && inside ? -EDOM : 0;
}

static int begin(struct lod_unpack_work *work)
{
    const struct lod_unpack_options *options = work->options;
    char id[LOD_ID_TEXT_BYTES], what[LOD_UNFINISHED_BYTES / 2];

    lod_id_text(lod_dataset_manifest(options->dataset)->store_id, id);
    snprintf(what, sizeof(what), "lodfs unpack of store %s at %s%s", id,
             lod_fidelity_name(options->fidelity), options->else_full ? ", else full" : "");
    int error = refuse_store(options);
    error = error ? error : lod_confined_dir_open(options->folder, &work->root_fd);
    if (error) {
        return error;
    }
    error = lod_unfinished_begin(work->root_fd, work->index, what, &work->unfinished);
    if (error) {
        close(work->root_fd);
    }
    return error;
}

/*
 * Removes the mark of an unfinished unpack if no name is missing. Then sets the mode and the time
 * of the root: removing the mark later would change that time.
 */
static int end(struct lod_unpack_work *work, int error)
{
    const bool done = !error && work->result->failed == 0;
    const bool removed = lod_unfinished_remove(&work->unfinished, work->root_fd, !done);

    if (!error) {
        error = lod_unpack_seal_root(work);
        if (error && removed) {
            lod_unfinished_restore(&work->unfinished, work->root_fd);
        }
    }
    lod_unfinished_finish(&work->unfinished);
    close(work->root_fd);
    return error;
}

int lod_unpack(const struct lod_unpack_options *options, struct lod_first_error *first_error,
               struct lod_unpack_result *ret_result)
{
    struct lod_unpack_work work = {.options = options,
                                   .index = lod_dataset_index(options->dataset),
                                   .view = lod_view_of(LOD_FORMAT_TREE),
                                   .first_error = first_error,
                                   .result = ret_result};

    *ret_result = (struct lod_unpack_result){0};
    pthread_mutex_init(&ret_result->lock, NULL);
    atomic_init(&work.named, false);
    int error = begin(&work);
    if (error) {
        return error;
    }
    error = lod_reader_create(options->dataset,
                              &(struct lod_reader_options){.cache_bytes = FRAMES_BYTES,
                                                           .work_bytes = LOD_WORK_SIZE_DEFAULT,
                                                           .threads = true},
                              &work.reader);
    error = error ? error : unpack(&work);
    lod_reader_destroy(work.reader);
    lod_hard_links_finish(&work.links);
    free(work.files.at);
    return end(&work, error);
}

void lod_unpack_finish(struct lod_unpack_result *result)
{
    for (size_t i = 0; i < result->notes.count; i++) {
        free(result->notes.at[i].path);
    }
    free(result->notes.at);
    pthread_mutex_destroy(&result->lock);
}
