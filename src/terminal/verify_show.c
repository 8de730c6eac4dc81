/* SPDX-License-Identifier: Apache-2.0 */
/* See verify_show.h. */
#include "terminal/verify_show.h"

#include "pool.h"

struct work {
    struct lod_verify *verify;
    struct lod_progress *progress;
    struct lod_cancel *cancel;
};

static int step(void *ctx, uint64_t number)
{
    const struct work *work = ctx;
    uint64_t bytes = 0, files = 0;

    int error = lod_cancel_poll(work->cancel);
    error = error ? error : lod_verify_step(work->verify, number, &bytes, &files);
    if (!error) {
        lod_progress_add(work->progress, files, bytes, 0);
    }
    return error;
}

int lod_verify_show(struct lod_verify *verify, unsigned threads, struct lod_progress *progress,
                    struct lod_cancel *cancel)
{
    struct work work = {.verify = verify, .progress = progress, .cancel = cancel};
    struct lod_pool *pool = NULL;

    lod_progress_stage(progress, "verifying", lod_verify_files(verify), lod_verify_bytes(verify));
    int error = lod_pool_create(threads, &pool);
    error = error ? error : lod_pool_each(pool, lod_verify_steps(verify), step, &work);
    lod_pool_destroy(pool);
    return error;
}
