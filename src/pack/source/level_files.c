/* SPDX-License-Identifier: Apache-2.0 */
/* See level_files.h. */
#include "pack/source/level_files.h"

#include "memory/memory_semaphore.h"
#include "pack/source/filter.h"

/* Memory for all files that a dry run encodes at once. A file that takes more is encoded when no
 * other one is. */
#define WORK_BYTES (1ull << 30)

void lod_level_files_mark(struct lod_source_list *list, const struct lod_option_list *globs)
{
    for (size_t i = 0; i < list->count; i++) {
        struct lod_source *source = &list->at[i];
        if (source->role == LOD_SOURCE_FILE && source->encoder->levels &&
            lod_patterns_match(globs, source->path)) {
            source->encoder = source->encoder->levels;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct lod_source *link = &list->at[i];
        if (link->role == LOD_SOURCE_HARD_LINK && !lod_patterns_match(globs, link->path) &&
            list->at[link->owner].encoder == lod_encoder_l3.levels) {
            list->at[link->owner].encoder = &lod_encoder_l3;
        }
    }
}

struct trial {
    struct lod_probe *probe;
    const struct lod_encode_options *options;
    struct lod_memory_semaphore work;
};

static int encode(struct trial *trial, struct lod_source *source, struct lod_span bytes)
{
    struct lod_encoded item = {0};
    const uint64_t promised =
        lod_memory_semaphore_take(&trial->work, source->encoder->memory_bytes(bytes));
    int error = source->encoder->encode(bytes, trial->options, &item);

    source->no_levels = error ? NULL : item.exact;
    source->why = error ? NULL : item.whole;
    lod_encoded_finish(&item);
    lod_memory_semaphore_release(&trial->work, promised);
    return error;
}

static int try_one(void *ctx, uint64_t index)
{
    struct trial *trial = ctx;
    struct lod_source *source = &trial->probe->list->at[index];
    struct lod_buf bytes = {0};

    if (source->role != LOD_SOURCE_FILE || !source->encoder->apart) {
        return 0;
    }
    int error = lod_cancel_poll(trial->probe->stop);
    if (!error &&
        lod_source_read(trial->probe->root_fd, source, trial->probe->follow, &bytes) == 0) {
        error = encode(trial, source, lod_buf_span(&bytes));
    }
    lod_buf_finish(&bytes);
    return error;
}

int lod_level_files_try(struct lod_probe *probe, const struct lod_encode_options *options)
{
    struct trial trial = {.probe = probe, .options = options};

    lod_memory_semaphore_init(&trial.work, WORK_BYTES);
    int error = lod_pool_each(probe->pool, probe->list->count, try_one, &trial);
    lod_memory_semaphore_finish(&trial.work);
    return error;
}
