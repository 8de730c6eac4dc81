/* SPDX-License-Identifier: Apache-2.0 */
/* Reads sources in the sample's own order; see sample_read.h. */
#include "pack/scans/sample_read.h"

#include <errno.h>
#include <stdlib.h>

uint64_t lod_sample_jpeg_bytes(const struct lod_source_list *list)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct lod_source *source = &list->at[i];
        bytes += source->role == LOD_SOURCE_FILE && source->encoder == &lod_encoder_pcr
                     ? source->bytes
                     : 0;
    }
    return bytes;
}

struct pick {
    uint64_t key;
    struct lod_source *file; /* in path order */
};

static int by_key(const void *a, const void *b)
{
    const struct pick *x = a, *y = b;

    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->file < y->file ? -1 : x->file > y->file;
}

static int offer(const struct lod_probe *probe, struct lod_sample *sample, struct lod_source *file)
{
    struct lod_buf bytes = {0};
    int error = lod_source_read(probe->root_fd, file, probe->follow, &bytes);

    if (error) {
        uint64_t rank = (uint64_t)(file - probe->list->at);
        error = lod_first_error_source(probe->first_error, rank, file, error);
    } else {
        error = lod_sample_offer(sample, &bytes);
    }
    lod_buf_finish(&bytes);
    return error;
}

int lod_sample_read(const struct lod_probe *probe, struct lod_sample *sample)
{
    const struct lod_source_list *list = probe->list;
    struct pick *picks = malloc((list->count + 1) * sizeof(picks[0]));
    size_t count = 0;
    int error = picks ? 0 : -ENOMEM;

    for (size_t i = 0; !error && i < list->count; i++) {
        struct lod_source *file = &list->at[i];
        if (file->role == LOD_SOURCE_FILE && file->encoder->encode &&
            lod_sample_wants(sample, file->bytes)) {
            picks[count++] = (struct pick){.key = lod_sample_key(file->path), .file = file};
        }
    }
    if (!error) {
        qsort(picks, count, sizeof(picks[0]), by_key);
    }
    for (size_t i = 0; !error && i < count && !lod_sample_full(sample); i++) {
        error = lod_cancel_poll(probe->stop);
        if (!error && lod_sample_wants(sample, picks[i].file->bytes)) {
            error = offer(probe, sample, picks[i].file);
        }
    }
    free(picks);
    return error;
}
