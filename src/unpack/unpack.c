/* SPDX-License-Identifier: Apache-2.0 */
/* The order of unpacking, and what is said of it; see unpack.h. */
#include "unpack/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "pool.h"
#include "unpack/work.h"

#define FRAMES_BYTES (64ull << 20) /* each frame is read about once */

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

/* Without the list hard links cannot be told from equal files: each is written by itself. */
static int read_twins(struct lod_unpack_work *work)
{
    int error = lod_twins_read(work->options->dataset, &work->twins);

    return error && error != -ENOMEM
               ? lod_unpack_note(work, 0, "hard links: the tree list cannot be read", true)
               : error;
}

static int unpack(struct lod_unpack_work *work)
{
    int error = read_twins(work);

    error = error ? error : lod_unpack_tree(work);
    error = error ? error : write_files(work);
    error = error ? error : lod_unpack_links(work);
    error = error ? error : lod_unpack_seal(work);
    if (!error && work->options->sync && syncfs(work->root_fd) < 0) {
        error = lod_unpack_stuck(work, 0, "write what was unpacked to disk, at", -errno);
    }
    return error;
}

int lod_unpack(const struct lod_unpack_options *options, struct lod_trouble *trouble,
               struct lod_unpack_result *ret_result)
{
    struct lod_unpack_work work = {.options = options,
                                   .index = lod_dataset_index(options->dataset),
                                   .view = lod_view_of(LOD_FORMAT_TREE),
                                   .trouble = trouble,
                                   .result = ret_result};

    *ret_result = (struct lod_unpack_result){0};
    pthread_mutex_init(&ret_result->lock, NULL);
    int error = lod_plant_open(options->folder, &work.root_fd);
    if (error) {
        return error;
    }
    error = lod_reader_create(options->dataset, FRAMES_BYTES, LOD_WORK_SIZE_DEFAULT, &work.reader);
    error = error ? error : unpack(&work);
    lod_reader_destroy(work.reader);
    lod_twins_finish(&work.twins);
    free(work.files.at);
    close(work.root_fd);
    return error;
}

void lod_unpack_finish(struct lod_unpack_result *result)
{
    for (size_t i = 0; i < result->notes.count; i++) {
        free(result->notes.at[i].path);
    }
    free(result->notes.at);
    pthread_mutex_destroy(&result->lock);
}
