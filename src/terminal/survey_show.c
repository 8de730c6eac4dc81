/* SPDX-License-Identifier: Apache-2.0 */
/* See survey_show.h. */
#include "terminal/survey_show.h"

#include "pool.h"
#include "read/reader.h"
#include "terminal/cancel.h"

#define CACHE_BYTES (64ull << 20)

struct work {
    struct lod_progress progress;
    struct lod_cancel stop;
};

static void begin(void *ctx, uint32_t photographs)
{
    struct work *work = ctx;

    lod_progress_stage(&work->progress, "comparing", photographs, 0);
}

static int step(void *ctx)
{
    struct work *work = ctx;

    lod_progress_add(&work->progress, 1, 0, 0);
    return lod_cancel_poll(&work->stop);
}

int lod_survey_show(struct lod_dataset *dataset, unsigned threads, enum lod_progress_mode mode,
                    struct lod_survey_options *options, struct lod_survey *ret_surveys)
{
    const struct lod_reader_options reading = {
        .cache_bytes = CACHE_BYTES, .work_bytes = LOD_WORK_SIZE_DEFAULT, .threads = false};
    struct work work;
    struct lod_reader *reader = NULL;
    struct lod_pool *pool = NULL;

    lod_progress_init(&work.progress, mode);
    lod_cancel_init(&work.stop, &work.progress);
    options->watch = (struct lod_survey_watch){.ctx = &work, .begin = begin, .step = step};
    int error = lod_reader_create(dataset, &reading, &reader);
    error = error ? error : lod_pool_create(threads, &pool);
    error = error ? error : lod_survey_run(dataset, reader, pool, options, ret_surveys);
    lod_pool_destroy(pool);
    lod_reader_destroy(reader);
    lod_cancel_finish(&work.stop);
    lod_progress_finish(&work.progress);
    return error;
}
