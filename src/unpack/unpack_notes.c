/* SPDX-License-Identifier: Apache-2.0 */
/* The notes and counts of unpack, which any thread may add to. See work.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unpack/work.h"

static const char *path_of(struct lod_unpack_work *work, uint32_t number,
                           char path[LOD_PATH_MAX + 1])
{
    struct lod_node node;

    if (lod_index_node(work->index, number, &node) || lod_index_path(work->index, &node, path)) {
        snprintf(path, LOD_PATH_MAX + 1, "(node %" PRIu32 " of the index)", number);
    }
    return path;
}

/* The caller holds the lock. Copies the path. */
static int keep(struct lod_unpack_result *result, struct lod_unpack_note note)
{
    if (LOD_LIST_RESERVE(&result->notes)) {
        return -ENOMEM;
    }
    note.path = strdup(note.path);
    if (!note.path) {
        return -ENOMEM;
    }
    result->notes.at[result->notes.count++] = note;
    return 0;
}

int lod_unpack_note(struct lod_unpack_work *work, uint32_t node, const char *what, bool failed)
{
    struct lod_unpack_result *result = work->result;
    char path[LOD_PATH_MAX + 1];
    int error = 0;

    path_of(work, node, path);
    pthread_mutex_lock(&result->lock);
    result->failed += failed;
    result->left_out += !failed;
    if (result->notes.count < LOD_UNPACK_NOTES_MAX) {
        error = keep(result, (struct lod_unpack_note){path, what, failed});
    }
    pthread_mutex_unlock(&result->lock);
    return error;
}

int lod_unpack_fail(struct lod_unpack_work *work, uint32_t node, const char *what, int error)
{
    char path[LOD_PATH_MAX + 1];

    path_of(work, node, path);
    return lod_first_error_set(work->first_error, node, error, "cannot %s '%pE': %s", what, path,
                               strerrordesc_np(-error));
}

void lod_unpack_count(struct lod_unpack_work *work, uint64_t *sum, uint64_t bytes)
{
    pthread_mutex_lock(&work->result->lock);
    (*sum)++;
    work->result->bytes += bytes;
    pthread_mutex_unlock(&work->result->lock);
}
