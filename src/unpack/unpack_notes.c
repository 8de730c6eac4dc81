/* SPDX-License-Identifier: Apache-2.0 */
/* What unpack says of a file, and what it counts; from any thread. See work.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
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

/* The lock is held; the path is copied. */
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

int lod_unpack_stuck(struct lod_unpack_work *work, uint32_t node, const char *what, int error)
{
    char path[LOD_PATH_MAX + 1], name[4 * LOD_PATH_MAX + 1];

    path_of(work, node, path);
    lod_escape(path, strlen(path), name, sizeof(name));
    return lod_trouble_set(work->trouble, node, error, "cannot %s '%s': %s", what, name,
                           strerrordesc_np(-error));
}

void lod_unpack_count(struct lod_unpack_work *work, uint64_t *sum, uint64_t bytes)
{
    pthread_mutex_lock(&work->result->lock);
    (*sum)++;
    work->result->bytes += bytes;
    pthread_mutex_unlock(&work->result->lock);
}
