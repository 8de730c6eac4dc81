/* SPDX-License-Identifier: Apache-2.0 */
/* Names of framed files, and their places in a listing; see shards.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/shards.h"

#define WHOLE_NAME   "data" /* of a store without splits */
#define DIGITS_LEAST 6

/* The kinds in order of their endings: .classes.txt .idx .lst .rec. */
static const enum lod_framed_kind by_name[LOD_FRAMED_KINDS] = {
    LOD_FRAMED_CLASSES,
    LOD_FRAMED_INDEX,
    LOD_FRAMED_LIST,
    LOD_FRAMED_DATA,
};

uint64_t lod_shard_positions(struct lod_dataset *dataset, const struct lod_framing *framing)
{
    (void)framing;
    return (uint64_t)lod_index_sums_rows(lod_dataset_index(dataset)) * LOD_FRAMED_KINDS;
}

struct lod_shard_file lod_shard_at(const struct lod_framing *framing, uint64_t position)
{
    (void)framing;
    return (struct lod_shard_file){.row = (uint32_t)(position / LOD_FRAMED_KINDS),
                                   .kind = by_name[position % LOD_FRAMED_KINDS]};
}

static int split_name(struct lod_dataset *dataset, uint32_t split, char name[LOD_NAME_MAX + 1])
{
    struct lod_index *index = lod_dataset_index(dataset);
    struct lod_node node;

    if (split == 0) {
        strcpy(name, WHOLE_NAME);
        return 0;
    }
    int error = lod_index_node(index, split, &node);
    error = error ? error : lod_index_name(index, &node, name);
    return error ? lod_dataset_node_failed(dataset, split, error) : 0;
}

int lod_shard_name(struct lod_dataset *dataset, const struct lod_framing *framing,
                   struct lod_shard_file file, char name[LOD_NAME_MAX + 1])
{
    const char *ending = lod_framed_ending(framing, file.kind);
    const bool whole = lod_shard_is_whole(framing, file);
    char split[LOD_NAME_MAX + 1];
    struct lod_sums_row at;
    uint32_t first = 0, closing;

    int error = lod_shard_sums(dataset, file.row, &at);
    if (!error && (!ending || (at.record == LOD_SUMS_CLOSING) != whole)) {
        return -ENOENT;
    }
    error = error ? error : lod_shard_rows_of(dataset, at.split, &first, &closing);
    error = error ? error : split_name(dataset, at.split, split);
    if (error) {
        return error == -ENOENT ? lod_dataset_sums_failed(dataset, file.row, -EILSEQ) : error;
    }
    int bytes = whole ? snprintf(name, LOD_NAME_MAX + 1, "%s%s", split, ending)
                      : snprintf(name, LOD_NAME_MAX + 1, "%s-%0*" PRIu32 "%s", split, DIGITS_LEAST,
                                 file.row - first, ending);
    return bytes > (int)LOD_NAME_MAX ? lod_dataset_sums_failed(dataset, file.row, -EILSEQ) : 0;
}

/* The node of the split's folder with a name of `bytes` bytes. */
static int find_split(struct lod_dataset *dataset, const char *name, size_t bytes,
                      uint32_t *ret_split)
{
    struct lod_index *index = lod_dataset_index(dataset);
    struct lod_sums_row sums;
    struct lod_node node;

    if (lod_index_sums_rows(index) == 0) {
        return -ENOENT;
    }
    int error = lod_shard_sums(dataset, 0, &sums);
    if (error) {
        return error;
    }
    if (sums.split == 0) {
        *ret_split = 0;
        return bytes == strlen(WHOLE_NAME) && memcmp(name, WHOLE_NAME, bytes) == 0 ? 0 : -ENOENT;
    }
    error = lod_index_node(index, 0, &node);
    error = error ? error : lod_index_lookup(index, &node, name, bytes, &node);
    *ret_split = error ? 0 : node.number;
    return error && error != -ENOENT ? lod_dataset_node_failed(dataset, 0, error) : error;
}

/* Finds the row of a file whose name has `bytes` bytes before its ending. */
static int find_row(struct lod_dataset *dataset, bool whole, const char *name, size_t bytes,
                    uint32_t *ret_row)
{
    const char *dash = memrchr(name, '-', bytes);
    uint32_t split, first, closing;

    if (!whole && (!dash || dash[1] < '0' || dash[1] > '9')) {
        return -ENOENT;
    }
    const unsigned long number = whole ? 0 : strtoul(dash + 1, NULL, 10);
    int error = find_split(dataset, name, whole ? bytes : (size_t)(dash - name), &split);
    error = error ? error : lod_shard_rows_of(dataset, split, &first, &closing);
    if (error || (!whole && number >= closing - first)) {
        return error ? error : -ENOENT;
    }
    *ret_row = whole ? closing : first + (uint32_t)number;
    return 0;
}

/* Returns -ENOENT for another spelling of a file's name, such as with more zeros. */
static int check_name(struct lod_dataset *dataset, const struct lod_framing *framing,
                      struct lod_shard_file file, const char *name)
{
    char again[LOD_NAME_MAX + 1];
    int error = lod_shard_name(dataset, framing, file, again);

    return error ? error : strcmp(again, name) == 0 ? 0 : -ENOENT;
}

int lod_shard_lookup(struct lod_dataset *dataset, const struct lod_framing *framing,
                     struct lod_store_part part, const char *name, struct lod_shard_file *ret_file)
{
    const size_t bytes = strlen(name);

    for (unsigned kind = 0; kind < LOD_FRAMED_KINDS && bytes <= LOD_NAME_MAX; kind++) {
        struct lod_shard_file file = {.kind = (enum lod_framed_kind)kind, .part = part};
        const char *ending = lod_framed_ending(framing, file.kind);
        const size_t end = ending ? strlen(ending) : 0;
        if (!ending || bytes <= end || strcmp(name + bytes - end, ending) != 0) {
            continue;
        }
        int error =
            find_row(dataset, lod_shard_is_whole(framing, file), name, bytes - end, &file.row);
        error = error ? error : check_name(dataset, framing, file, name);
        if (!error) {
            *ret_file = file;
        }
        return error;
    }
    return -ENOENT;
}
