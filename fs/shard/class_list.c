/* SPDX-License-Identifier: Apache-2.0 */
/* See class_list.h. The folders are the split's children, in order of names. */
#include "shard/class_list.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Copies the bytes of a line that lie in [from, to); the line begins at `at` of the list. */
static void copy_line(const char *line, uint64_t bytes, uint64_t at, uint64_t from, uint64_t to,
                      uint8_t *into)
{
    const uint64_t first = at > from ? at : from;
    const uint64_t end = at + bytes < to ? at + bytes : to;

    if (first < end) {
        memcpy(into + (first - from), line + (first - at), end - first);
    }
}

/*
 * Writes the line of a folder that is a class. Writes 0 bytes for other folders. A name may have
 * any byte but 0 and '/', and a line ends at the first '\n'.
 */
static int make_line(struct lod_index *index, uint32_t number, char line[LOD_NAME_MAX + 1],
                     uint64_t *ret_bytes)
{
    struct lod_node node;

    *ret_bytes = 0;
    int error = lod_index_node(index, number, &node);
    if (error || !S_ISDIR(node.mode) || (node.flags & LOD_NODE_VIRTUAL)) {
        return error;
    }
    error = lod_index_name(index, &node, line);
    for (char *at = line; !error && *at; at++) {
        *at = (unsigned char)*at < ' ' ? '?' : *at;
    }
    *ret_bytes = error ? 0 : strlen(line) + 1;
    line[error ? 0 : *ret_bytes - 1] = '\n';
    return error;
}

int lod_class_list_read(struct lod_dataset *dataset, const struct lod_shard *shard, uint64_t from,
                        uint64_t to, uint8_t *into)
{
    struct lod_index *index = lod_dataset_index(dataset);
    char line[LOD_NAME_MAX + 1];
    struct lod_node split;
    uint64_t at = 0, bytes;

    int error = lod_index_node(index, shard->split, &split);
    for (uint32_t i = 0; !error && at < to && i < split.count; i++) {
        error = make_line(index, split.ref + i, line, &bytes);
        if (!error) {
            copy_line(line, bytes, at, from, to, into);
            at += bytes;
        }
    }
    /* If the sum differed, the file would not have the size that stat(2) shows. */
    error = error || at >= to ? error : -EILSEQ;
    return error ? lod_dataset_sums_failed(dataset, shard->first_row, error) : 0;
}
