/* SPDX-License-Identifier: Apache-2.0 */
/* Opens every file once; see probe.h. */
#include "pack/source/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "hash.h"
#include "backend/format.h"

#define SKETCH_BYTES 4096u

/* A raw item may have a record of its own: the limit of a record minus header and metadata. */
#define FILE_BYTES_MAX (LOD_RECORD_BYTES_MAX - LOD_RECORD_HEADER - LOD_RECORD_META_MAX)

static int by_bytes(const void *a, const void *b)
{
    const struct lod_source *x = *(struct lod_source *const *)a;
    const struct lod_source *y = *(struct lod_source *const *)b;

    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Sets sketch to 1 for files whose size another file has too. */
static int mark_sizes(struct lod_source_list *list)
{
    struct lod_source **files = malloc((list->count + 1) * sizeof(files[0]));
    size_t count = 0;

    if (!files) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].role == LOD_SOURCE_FILE) {
            files[count++] = &list->at[i];
        }
    }
    qsort(files, count, sizeof(files[0]), by_bytes);
    for (size_t i = 1; i < count; i++) {
        if (files[i]->bytes == files[i - 1]->bytes) {
            files[i]->sketch = files[i - 1]->sketch = 1;
        }
    }
    free(files);
    return 0;
}

static int sketch_middle(int fd, struct lod_source *file)
{
    uint8_t middle[SKETCH_BYTES];
    size_t bytes = file->bytes < SKETCH_BYTES ? (size_t)file->bytes : SKETCH_BYTES;
    int error = lod_source_pread(fd, file, middle, bytes, (file->bytes - bytes) / 2);

    if (!error) {
        file->sketch = (uint32_t)lod_hash64(middle, bytes, 0) | 1; /* 0: the size is unique */
    }
    return error;
}

static int look_into(const struct lod_probe *probe, struct lod_source *file)
{
    uint8_t head[LOD_PROBE_BYTES];
    size_t bytes = file->bytes < sizeof(head) ? (size_t)file->bytes : sizeof(head);
    int fd = -1;
    int error = lod_source_open(probe->root_fd, file, probe->follow, &fd);

    if (error) {
        return error;
    }
    error = lod_source_pread(fd, file, head, bytes, 0);
    if (!error) {
        file->encoder =
            lod_encoder_probe((struct lod_span){.at = head, .bytes = bytes}, file->bytes);
        error = file->sketch ? sketch_middle(fd, file) : 0;
    }
    close(fd);
    return error;
}

static int probe_one(void *ctx, uint64_t index)
{
    struct lod_probe *probe = ctx;
    struct lod_source *file = &probe->list->at[index];

    if (file->role != LOD_SOURCE_FILE) {
        return 0;
    }
    int error = lod_cancel_poll(probe->stop);
    if (error) {
        return error;
    }
    if (probe->progress) {
        lod_progress_add(probe->progress, 1, 0, 0);
    }
    error = file->bytes > FILE_BYTES_MAX ? -EFBIG : look_into(probe, file);
    return error ? lod_first_error_source(probe->first_error, index, file, error) : 0;
}

int lod_probe_files(struct lod_probe *probe)
{
    int error = mark_sizes(probe->list);

    return error ? error : lod_pool_each(probe->pool, probe->list->count, probe_one, probe);
}
