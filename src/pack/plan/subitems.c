/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the bytes of one item of several; see subitems.h. */
#include "pack/plan/subitems.h"

#include <unistd.h>

uint64_t lod_subitems_weight(const struct lod_source *source)
{
    return source->parts ? source->parts->at[source->part].weight : source->bytes;
}

static int read_runs(int fd, const struct lod_source *file, const struct lod_part *part,
                     struct lod_buf *into)
{
    int error = lod_buf_reserve(into, (size_t)(part->runs * part->run_bytes) + 1);

    for (uint32_t i = 0; !error && i < part->runs; i++) {
        error = lod_source_pread(fd, file, into->data + into->bytes, (size_t)part->run_bytes,
                                 part->offset + i * part->stride);
        into->bytes += (size_t)part->run_bytes;
    }
    return error;
}

int lod_subitems_read(int root_fd, const struct lod_source *file, const struct lod_part *part,
                      bool follow, struct lod_buf *into)
{
    int fd = -1;

    into->bytes = 0;
    if (part->runs == 0) {
        return lod_buf_append(into, part->memory.at, part->memory.bytes);
    }
    int error = lod_source_open(root_fd, file, follow, &fd);
    if (error) {
        return error;
    }
    error = read_runs(fd, file, part, into);
    error = error ? error : lod_source_check(fd, file);
    close(fd);
    return error;
}
